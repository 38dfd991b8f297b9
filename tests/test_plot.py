import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from errdex.plot import Frame, Series, bar, line_plot, percent

FRAME = Frame("risk", "Errors & answers", "What <it> says", "answered", "wrong")
LINES = [Series("all", [(0.2, 0.0), (1.0, 0.5)], mark=(0.5, 0.1)), Series("some", [(0.0, 0.0), (1.0, 0.1)])]
SVG = "{http://www.w3.org/2000/svg}"


def drawn(lines: list[Series]) -> ET.Element:
    figure = ET.fromstring(line_plot(FRAME, lines))
    svg = figure.find("svg")
    assert svg is not None
    return svg


def test_a_plot_says_what_it_shows_to_those_who_do_not_see_it() -> None:
    svg = drawn(LINES)
    named = {element.get("id"): element.text for element in svg.iter() if element.get("id")}
    assert svg.get("role") == "img"
    assert [named[name] for name in svg.get("aria-labelledby", "").split()] == ["Errors & answers", "What <it> says"]


def test_a_plot_is_one_block_without_script_and_style() -> None:
    text = line_plot(FRAME, LINES)
    assert "\n" not in text
    assert "<script" not in text
    assert "style" not in text


def test_points_stand_where_their_values_are() -> None:
    lines = [element.get("points", "").split() for element in drawn(LINES).iter("polyline")]
    (left, bottom), (right, top) = (tuple(map(float, point.split(","))) for point in lines[0])
    (start, floor), (end, low) = (tuple(map(float, point.split(","))) for point in lines[1])
    assert start < left < right == end
    assert bottom == floor
    assert floor - low == pytest.approx((floor - top) / 5, abs=0.1)
    assert len(list(drawn(LINES).iter("circle"))) == 1


def test_every_line_is_named_in_the_legend() -> None:
    figure = ET.fromstring(line_plot(FRAME, LINES))
    assert [(span.findtext("svg") or "") + "".join(span.itertext()).strip() for span in figure.iter("span")] == ["all", "some"]


@pytest.mark.parametrize("highest", [0.004, 0.15, 0.35, 0.52, 1.0])
def test_the_upright_axis_has_round_numbers_up_to_the_highest_value(highest: float) -> None:
    texts = [element.text or "" for element in drawn([Series("one", [(0.0, 0.0), (1.0, highest)])]).iter("text")]
    numbers = [int(text.rstrip("\u00a0%")) for text in texts if text.endswith("%")]
    upright = numbers[6:]
    assert upright[0] == 0
    assert upright[-1] >= 100 * highest
    assert len({later - earlier for earlier, later in pairwise(upright)}) == 1


def test_the_parts_of_a_bar_follow_each_other() -> None:
    parts = [
        (rect.get("class"), rect.get("x"), rect.get("width"))
        for rect in ET.fromstring(bar([("a", 0.5), ("b", 0.0), ("c", 0.25)]))
    ]
    assert parts == [("a", "0.00", "50.00"), ("c", "50.00", "25.00")]


def test_a_share_is_written_with_its_sign() -> None:
    assert (percent(0.934), percent(0.9341, 1)) == ("93\u00a0%", "93.4\u00a0%")
