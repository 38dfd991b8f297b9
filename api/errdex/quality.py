"""The figures of the quality page: what the benchmark measured, what was executed, and how current the languages are."""

import html
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from errdex.catalog import Catalog
from errdex.entry import AREAS, LANGS, Entry
from errdex.plot import Frame, Series, bar, line_plot, percent
from errdex.proof import proof
from errdex.scores import Curve, Point, Scores, Share
from errdex.stamp import stale_translations
from errdex.words import Words

_TABLE_STEP = 10  # of the hundredths of the threshold, one row in ten


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _point_at(curve: Curve, threshold: float) -> Point:
    """What holds at a threshold: the last point that is not above it."""
    return [point for point in curve.points if point.threshold <= threshold + 1e-9][-1]


def _rate(wrong: int, answered: int) -> float:
    return wrong / answered if answered else 0.0


def _series(curve: Curve, name: str) -> Series:
    points = [(p.answered / curve.texts, _rate(p.wrong, p.answered)) for p in reversed(curve.points) if p.answered]
    return Series(name, points, (curve.matched / curve.texts, _rate(curve.matched_wrong, curve.matched)))


def _risk_plot(scores: Scores, words: Words) -> str:
    frame = Frame("risk", words["quality_plot"], words["quality_plot_more"], words["quality_plot_x"], words["quality_plot_y"])
    return line_plot(frame, [_series(curve, words[f"quality_curve_{name}"]) for name, curve in scores.curves.items()])


def _risk_cells(answered: int, wrong: int, texts: int) -> list[str]:
    return [percent(answered / texts), f"{wrong} / {answered}" if answered else "0"]


def _risk_rows(scores: Scores, words: Words) -> str:
    """The plot's numbers at round thresholds, and what a lookup really answers with `match`; they stand inside a fold."""
    rows = []
    for hundredth in range(0, 101, _TABLE_STEP):
        cells = [f"{hundredth / 100:.1f}"]
        for curve in scores.curves.values():
            point = _point_at(curve, hundredth / 100)
            cells += _risk_cells(point.answered, point.wrong, curve.texts)
        rows.append(_row(*cells))
    verdict = [f"**{words['quality_verdict']}**"]
    for curve in scores.curves.values():
        verdict += _risk_cells(curve.matched, curve.matched_wrong, curve.texts)
    return "\n    ".join([*rows, _row(*verdict)])


def _system_rows(scores: Scores, words: Words) -> str:
    rows = []
    for row in scores.figures.rows:
        figures = (row.top1, row.top5, row.mrr, row.answered, row.precision, row.foreign, row.uncovered)
        name = words[f"quality_system_{row.system.split(':')[0].replace(' ', '_')}"]
        rows.append(_row(name, *(f"{figure:.3f}" for figure in figures)))
    return "\n".join(rows)


def _share_rows(shares: Mapping[str, Share], name: Callable[[str], str]) -> str:
    """One row per group: its name, its reports, how many have the right page first, and a bar."""
    return "\n".join(
        _row(
            name(group),
            str(share.cases),
            f"{share.first} ({percent(share.first / share.cases)})",
            bar([("ex-part-ok", share.first / share.cases)]),
        )
        for group, share in shares.items()
    )


def _in_area_order(shares: Mapping[str, Share]) -> dict[str, Share]:
    return {area: shares[area] for area in AREAS if area in shares}


def _states(entries: Iterable[Entry], words: Words) -> Counter[str]:
    return Counter(proof(entry, words).state for entry in entries)


def _executed_rows(catalog: Catalog, words: Words) -> str:
    """One row per area: entries, how many were executed, are waiting, cannot be shown, and a bar."""
    rows = []
    for area in AREAS:
        entries = [entry for entry in catalog.active if entry.area == area]
        if not entries:
            continue
        states = _states(entries, words)
        shown = [states["ok"], states["wait"], states["none"]]
        parts = [(f"ex-part-{css}", count / len(entries)) for css, count in zip(("ok", "wait", "none"), shown, strict=True)]
        rows.append(_row(words.areas[area], str(len(entries)), *(str(count) for count in shown), bar(parts)))
    return "\n".join(rows)


def _reason_rows(catalog: Catalog, words: Words) -> str:
    """Why the rest was not executed, the commonest reason first."""
    proofs = [proof(entry, words) for entry in catalog.active]
    reasons = Counter(found.text for found in proofs if found.state != "ok")
    return "\n".join(_row(html.escape(text, quote=False), str(count)) for text, count in reasons.most_common())


def _language_rows(catalog: Catalog, words: Words) -> str:
    entries = catalog.active
    rows = []
    for lang in LANGS:
        current = sum(lang not in stale_translations(entry) for entry in entries)
        share = current / max(len(entries), 1)
        rows.append(
            _row(words[f"quality_lang_{lang}"], str(len(entries)), f"{current} ({percent(share)})", bar([("ex-part-ok", share)]))
        )
    return "\n".join(rows)


def quality_values(scores: Scores, catalog: Catalog, words: Words) -> dict[str, str]:
    """What the quality page's `$names` stand for.

    Args:
        scores: what the benchmark published.
        catalog: the entries of today.
        words: what the site says in the page's language.
    """
    figures = scores.figures
    libraries = words["separator"].join(f"{name} {version}" for name, version in scores.libraries.items())
    numbers = {
        "covered": figures.cases,
        "uncovered": figures.uncovered,
        "foreign": figures.foreign,
        "reports": figures.cases + figures.uncovered,
        "unanswerable": figures.uncovered + figures.foreign,
        "public_texts": scores.curves["public"].texts,
        "exact": figures.exact,
        "exact_first": figures.exact_first,
        "measured_entries": scores.entries,
        "match_threshold": scores.match,
        "candidates_threshold": scores.candidates,
    }
    return {name: f"{number:g}" for name, number in numbers.items()} | {
        "measured_on": scores.date.isoformat(),
        "measured_version": scores.errdex,
        "measured_python": scores.python,
        "measured_libraries": libraries,
        "measured_encoder": scores.encoder,
        "risk_plot": _risk_plot(scores, words),
        "risk_rows": _risk_rows(scores, words),
        "system_rows": _system_rows(scores, words),
        "area_rows": _share_rows(_in_area_order(figures.areas), words.areas.__getitem__),
        "kind_rows": _share_rows(figures.kinds, lambda kind: words[f"quality_kind_{kind}"]),
        "own_words_rows": _share_rows(figures.languages, lambda lang: words[f"quality_own_{lang}"]),
        "executed_rows": _executed_rows(catalog, words),
        "reason_rows": _reason_rows(catalog, words),
        "language_rows": _language_rows(catalog, words),
    }
