import inspect
import re

import pytest

from errdex import errors
from errdex.errors import CatalogError, ErrdexError, InputError, UnknownEntryError

CLASSES = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, ErrdexError)]
# `│   ├── EmptyInputError   422`
BRANCH = re.compile(r"^(?P<indent>[│├└─ ]*)(?P<name>\w+Error)\b(?P<rest>.*)$", re.MULTILINE)


def drawn_tree() -> dict[str, str]:
    """Each class in the module's docstring, with the one it hangs on."""
    parents: dict[str, str] = {}
    path: list[str] = []
    for branch in BRANCH.finditer(errors.__doc__ or ""):
        depth = len(branch["indent"]) // 4
        path = [*path[:depth], branch["name"]]
        parents[branch["name"]] = path[depth - 1] if depth else "Exception"
    return parents


def test_the_drawn_tree_is_the_real_one() -> None:
    assert drawn_tree() == {cls.__name__: cls.__base__.__name__ for cls in CLASSES if cls.__base__}


def test_the_drawn_statuses_are_the_real_ones() -> None:
    drawn = {
        branch["name"]: found[1]
        for branch in BRANCH.finditer(errors.__doc__ or "")
        if (found := re.search(r"\b(\d{3})\b", branch["rest"]))
    }
    assert len(drawn) > 5
    assert drawn == {cls.__name__: str(cls.status) for cls in CLASSES if cls.__name__ in drawn}


@pytest.mark.parametrize("cls", CLASSES)
def test_every_class_says_what_it_is(cls: type[ErrdexError]) -> None:
    assert vars(cls)["title"]
    assert not cls.title.endswith(".")
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", cls.kind())
    assert cls.status in range(400, 600)


def test_titles_and_kinds_are_all_different() -> None:
    assert len({cls.title for cls in CLASSES}) == len({cls.kind() for cls in CLASSES}) == len(CLASSES)


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if issubclass(cls, InputError)])
def test_what_the_caller_did_wrong_is_a_4xx(cls: type[ErrdexError]) -> None:
    assert 400 <= cls.status < 500


def test_an_error_carries_its_detail_and_field() -> None:
    error = UnknownEntryError("No entry has this id.", field="id")
    assert (str(error), error.detail, error.field, error.kind()) == (
        "No entry has this id.",
        "No entry has this id.",
        "id",
        "unknown-entry",
    )


def test_a_catalog_error_holds_each_finding_on_a_line() -> None:
    error = CatalogError(["a: missing: b", "c: id: d"])
    assert error.findings == ("a: missing: b", "c: id: d")
    assert error.detail.splitlines() == list(error.findings)
