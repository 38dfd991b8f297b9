import pytest

from errdex.proof import last_run, proof, proof_section, script_files
from tests.sheets import english, entry

RUN = {"torch": "2.13.0", "accelerate": "1.15.0", "python": "3.11", "device": "cpu", "date": "2026-11-30"}


@pytest.mark.parametrize(
    ("changes", "state", "text"),
    [
        ({"checked": {"run": RUN}}, "ok", "executed on CPU"),
        ({"repro": {"needs": ["gpu", "old:torch==1.13"]}}, "wait", "not yet run here: needs a GPU, torch 1.13"),
        ({"repro": {"none": "A broken card."}}, "none", "no program can show it"),
        ({}, "wait", "not yet run here"),
    ],
)
def test_the_badge_says_how_far_the_entry_was_executed(changes: dict[str, object], state: str, text: str) -> None:
    assert proof(entry(**changes), english()) == (state, text)


def test_the_last_run_names_each_version_and_the_day() -> None:
    assert last_run(entry(checked={"run": RUN})) == "torch 2.13.0 · accelerate 1.15.0 · Python 3.11 · 2026-11-30"
    assert last_run(entry()) == ""


def test_each_script_is_shown_and_lies_beside_the_page_as_a_file() -> None:
    text = "\n".join(proof_section(entry(), english()))
    files = script_files(entry())
    assert files == {"mem/out-of-memory/broken.py": "x = 1\n", "mem/out-of-memory/fixed.py": "x = 2\n"}
    for path, code in files.items():
        assert f"    {code}" in text
        assert f"(out-of-memory/{path.rsplit('/', 1)[1]})" in text


def test_an_entry_that_cannot_be_shown_has_its_reason_and_no_scripts() -> None:
    section = proof_section(entry(repro={"none": "A broken card."}, scripts={}), english())
    assert section[-1] == "> A broken card."
