import pytest

from errdex.catalog import Catalog
from errdex.lines import clean_lines
from errdex.needles import needles
from errdex.patterns import compile_pattern


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("Attempting to unscale FP16 gradients", ["attempting to unscale fp16 gradients"]),
        (r"expected \w+ but found \w+ here", [" but found "]),
        ("(?i)Out of Memory", ["out of memory"]),
        ("(?:alpha|beta) stands", [" stands"]),
        (r"(?:alpha|betas?)\d", ["alpha", "beta"]),
        ("maybe(?: this)? or that", [" or that"]),
        ("colou?red lines", ["red lines"]),
        (r"a+bcdef\.py", ["bcdef.py"]),
        (r"\[Errno 28\]", ["[errno 28]"]),
        ("one|another thing", []),
        (r"\d+ \w+", []),
        ("[^)]*wanted(?P<name>.{0,5})", ["wanted"]),
        ("(?:wanted){0,3}x", []),
        ("(?:wanted){2}x", ["wanted"]),
    ],
)
def test_what_a_match_must_hold(pattern: str, wanted: list[str]) -> None:
    assert needles(pattern) == wanted


def test_every_match_in_the_samples_holds_a_needle(catalog: Catalog) -> None:
    matched = 0
    for entry in catalog.active:
        texts = ["\n".join(line.text for line in clean_lines(text)) for text in entry.samples.values()]
        for signature in entry.signature:
            pattern, wanted = compile_pattern(signature.pattern, signature.multiline), needles(signature.pattern)
            for match in (match for text in texts for match in pattern.finditer(text)):
                matched += 1
                assert not wanted or any(needle in str(match[0]).lower() for needle in wanted), (entry.id, signature.pattern)
    assert matched > 500


def test_nearly_every_signature_has_one(catalog: Catalog) -> None:
    patterns = [signature.pattern for entry in catalog.active for signature in entry.signature]
    assert sum(not needles(pattern) for pattern in patterns) < len(patterns) / 50
