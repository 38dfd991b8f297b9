"""How much of what was asked got an answer, week by week."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from errdex.models import Status


@dataclass(frozen=True)
class Week:
    """Lookups of one week.

    Attributes:
        monday: its first day.
        counts: status to number of lookups.
    """

    monday: date
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        """All lookups."""
        return sum(self.counts.values())

    @property
    def coverage(self) -> float:
        """Share of the lookups that were a `match`; 0 where there were none."""
        return self.counts.get(Status.MATCH.value, 0) / self.total if self.total else 0.0


def weeks(lookups: Mapping[tuple[date, str], int]) -> list[Week]:
    """Days put together to weeks, the oldest first; weeks without a lookup are left out.

    Args:
        lookups: day and status to number of lookups.
    """
    counts: dict[date, dict[str, int]] = defaultdict(dict)
    for (day, status), count in lookups.items():
        week = counts[day - timedelta(days=day.weekday())]
        week[status] = week.get(status, 0) + count
    return [Week(monday, dict(sorted(found.items()))) for monday, found in sorted(counts.items())]
