from datetime import date, timedelta

from errdex.coverage import weeks

MONDAY = date(2026, 11, 30)


def test_days_become_weeks_and_matches_coverage() -> None:
    lookups = {
        (MONDAY + timedelta(days=6), "match"): 2,
        (MONDAY, "match"): 1,
        (MONDAY, "no_match"): 1,
        (MONDAY + timedelta(days=7), "candidates"): 4,
        (MONDAY - timedelta(days=1), "match"): 5,
    }
    found = [(week.monday, week.total, week.coverage) for week in weeks(lookups)]
    assert found == [(MONDAY - timedelta(days=7), 5, 1.0), (MONDAY, 4, 0.75), (MONDAY + timedelta(days=7), 4, 0.0)]
    assert weeks(lookups)[1].counts == {"match": 3, "no_match": 1}
    assert weeks({}) == []
