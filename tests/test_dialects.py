import pytest

from errdex.catalog import Catalog
from errdex.dialects import javascript


@pytest.mark.parametrize(
    ("pattern", "syntax", "source", "flags"),
    [
        ("plain words", "re2", "plain words", ""),
        ("(?i)any case", "re2", "any case", "i"),
        ("(?P<name>a)(?P=name)", "python", r"(?<name>a)\k<name>", ""),
        ("a.b", "re2", r"a[^\n]b", ""),
        ("[.]", "re2", "[.]", ""),
        (r"a\.b", "re2", r"a\.b", ""),
        (r"\s\S", "re2", r"[\t\n\f\r ][^\t\n\f\r ]", ""),
        (r"[^\s:]", "python", r"[^\t-\r :]", ""),
        (r"[\s\S]{0,9}", "re2", "[^]{0,9}", ""),
        ("[]x]", "re2", r"[\]x]", ""),
        ("[^]x]", "re2", r"[^\]x]", ""),
        (r"\(\?P<x>", "re2", r"\(\?P<x>", ""),
        ("[(?P<x>]", "re2", "[(?P<x>]", ""),
    ],
)
def test_a_pattern_as_javascript_writes_it(pattern: str, syntax: str, source: str, flags: str) -> None:
    assert javascript(pattern, syntax) == (source, flags)


@pytest.mark.parametrize("pattern", ["(?i:x)y", "x(?s)y", r"\Ax", r"x\z", r"\Qx\E", r"\pL", "[[:alpha:]]", r"[\S,]"])
def test_what_javascript_does_not_share_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"JavaScript|flags|class"):
        javascript(pattern, "re2")


def test_every_signature_is_in_the_shared_subset(catalog: Catalog) -> None:
    for entry in catalog:
        for signature in entry.signature:
            javascript(signature.pattern, "re2")
