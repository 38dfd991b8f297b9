"""Plots as SVG: static, in the colours of the page, readable without seeing them.

Own code because what pip offers draws for another purpose: matplotlib brings numpy-sized weight and fixed colours, pygal writes
inline scripts, inline styles and the date of the day into each file.
"""

import html
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_WIDTH, _HEIGHT = 360, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 8, 10, 40
_TICKS = 5


class Series(NamedTuple):
    """One line: points with both values from 0 to 1, and one point of it to mark."""

    name: str
    points: Sequence[tuple[float, float]]
    mark: tuple[float, float] | None = None


class Frame(NamedTuple):
    """What stands around the lines.

    Attributes:
        name: an id that is unique on its page.
        title: what the plot shows, for those who do not see it.
        description: what can be read from it.
        x, y: what the axes mean.
    """

    name: str
    title: str
    description: str
    x: str
    y: str


def percent(share: float, digits: int = 0) -> str:
    """A share as people write it."""
    return f"{100 * share:.{digits}f}\u00a0%"


def _text(x: float, y: float, words: str, anchor: str, turned: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{turned}>{html.escape(words)}</text>'


def _step(highest: float) -> float:
    """A round distance between the numbers of the upright axis."""
    return 0.1 if highest > 0.5 else 0.05 if highest > 0.2 else 0.02


def _axes(frame: Frame, highest: float) -> Iterable[str]:
    """Grid, numbers and names; both axes start at 0, the upright one ends at `highest`."""
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    for tick in range(_TICKS + 1):
        x = _LEFT + tick / _TICKS * (right - _LEFT)
        yield f'<path class="ex-grid" d="M{x:g} {_TOP}V{bottom}"/>'
        yield _text(x, bottom + 14, percent(tick / _TICKS), "end" if tick == _TICKS else "middle")
    count = round(highest / _step(highest))
    for tick in range(count + 1):
        y = bottom - tick / count * (bottom - _TOP)
        yield f'<path class="ex-grid" d="M{_LEFT} {y:.1f}H{right}"/>'
        yield _text(_LEFT - 4, y + 3, percent(tick / count * highest), "end")
    yield _text((_LEFT + right) / 2, _HEIGHT - 6, frame.x, "middle")
    middle = (_TOP + bottom) / 2
    yield _text(9, middle, frame.y, "middle", f' transform="rotate(-90 9 {middle:g})"')


def line_plot(frame: Frame, lines: Sequence[Series]) -> str:
    """Lines over two shares, with a legend; one block of HTML without empty lines, as Markdown wants it."""
    values = [y for line in lines for _, y in [*line.points, *([line.mark] if line.mark else [])]]
    highest = min(1.0, max(1, -(-max(values, default=0) // 0.1)) / 10)
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return _LEFT + point[0] * (right - _LEFT), bottom - point[1] / highest * (bottom - _TOP)

    drawn = list(_axes(frame, highest))
    for number, line in enumerate(lines, start=1):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, line.points))
        drawn.append(f'<polyline class="ex-line ex-line-{number}" points="{path}"/>')
        if line.mark:
            x, y = place(line.mark)
            drawn.append(f'<circle class="ex-mark ex-line-{number}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
    legend = "".join(
        f'<span class="ex-key"><svg viewBox="0 0 24 8" aria-hidden="true">'
        f'<path class="ex-line ex-line-{number}" d="M0 4H24"/></svg> {html.escape(line.name)}</span>'
        for number, line in enumerate(lines, start=1)
    )
    return (
        f'<figure class="ex-plot" data-search-exclude="true"><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        f' aria-labelledby="{frame.name}-title {frame.name}-desc">'
        f'<title id="{frame.name}-title">{html.escape(frame.title)}</title>'
        f'<desc id="{frame.name}-desc">{html.escape(frame.description)}</desc>{"".join(drawn)}</svg>'
        f"<figcaption>{legend}</figcaption></figure>"
    )


def bar(parts: Sequence[tuple[str, float]]) -> str:
    """A bar of parts, each with its CSS class and its share; the numbers stand beside it, so it is not read out."""
    drawn, x = [], 0.0
    for css, share in parts:
        if share > 0:
            drawn.append(f'<rect class="{css}" x="{100 * x:.2f}" width="{100 * share:.2f}" height="10"/>')
        x += share
    return f'<svg class="ex-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{"".join(drawn)}</svg>'
