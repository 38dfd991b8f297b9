import re
from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errdex.catalog import Catalog
from errdex.entry import LANGS, Entry, Lang
from errdex.lookup import Lookup
from errdex.models import Answer, Evidence, FixOut, ReportSummary, Result, RootError, Stage, Status, Verified
from errdex.page import fences
from errdex.render import labels, to_markdown, to_text, verified_line

RUN = Verified(torch="2.13.0", peft="0.21", python="3.11.2", device="cpu", date=date(2026, 1, 2))
ROOT = RootError(type="ValueError", message="the lever is stuck", rank=None, line=4)


def result_of(entry: Entry, lang: Lang = "en", verified: Verified | None = RUN) -> Result:
    page = entry.pages[lang]
    return Result(
        id=entry.id,
        slug=entry.slug,
        title=page.title,
        lang=lang,
        kind=entry.kind,
        confidence=0.91,
        summary=page.summary,
        evidence=Evidence(stage=Stage.SIGNATURE, line=4, text="the lever is stuck", captures={}),
        fixes=[FixOut(title=fix.title, markdown=fix.markdown, code=fix.code) for fix in page.fixes],
        verified=verified,
        url=f"https://errors.example/{lang}/{entry.path}/",
    )


def answer_of(
    status: Status,
    results: Sequence[Result] = (),
    lang: Lang = "en",
    root: RootError | None = ROOT,
    looked_for: str | None = None,
    contribute: str | None = None,
) -> Answer:
    report = ReportSummary(root=root, consequences=[], versions={}, redactions=0)
    return Answer(
        status=status,
        request_id="x",
        index="sha256:0",
        lang=lang,
        report=report,
        results=list(results),
        looked_for=looked_for,
        contribute=contribute,
    )


def test_every_language_has_every_label() -> None:
    keys = {lang: set(labels(lang)) for lang in LANGS}
    assert keys["en"] == keys["zh-CN"] == keys["zh-TW"] >= {*Status, *Stage}
    assert all(text.strip() for lang in LANGS for text in labels(lang).values())


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("write", [to_markdown, to_text])
def test_a_match_shows_its_fixes_and_links_the_others(catalog: Catalog, lang: Lang, write: object) -> None:
    assert callable(write)
    first, second = (result_of(catalog.get(i), lang) for i in ("AMP003", "AMP001"))
    text = write(answer_of(Status.MATCH, [first, second], lang))
    assert labels(lang)["match"] in text
    assert all(fix.title in text for fix in first.fixes)
    assert text.index(first.url) < text.index(labels(lang)["also"]) < text.index(second.url)
    assert not any(fix.title in text.split(second.title)[-1] for fix in second.fixes)


def test_a_match_alone_has_no_others(catalog: Catalog) -> None:
    assert labels("en")["also"] not in to_markdown(answer_of(Status.MATCH, [result_of(catalog.get("AMP003"))]))


@pytest.mark.parametrize("lang", LANGS)
def test_candidates_are_links_only(catalog: Catalog, lang: Lang) -> None:
    found = [result_of(catalog.get(i), lang) for i in ("AMP003", "AMP001")]
    text = to_markdown(answer_of(Status.CANDIDATES, found, lang))
    assert labels(lang)["candidates"] in text
    assert all(f"[{result.title}]({result.url})" in text and result.summary in text for result in found)
    assert labels(lang)["fix"] not in text.splitlines()


@pytest.mark.parametrize("lang", LANGS)
def test_without_a_match_it_says_what_it_looked_for(lang: Lang) -> None:
    text = to_markdown(
        answer_of(Status.NO_MATCH, lang=lang, looked_for="ValueError: the lever", contribute="https://forge.example/new")
    )
    assert labels(lang)["no_match"] in text
    assert "ValueError: the lever" in fences(text)
    assert f"{labels(lang)['contribute']}: https://forge.example/new" in text


@pytest.mark.parametrize("lang", LANGS)
def test_without_an_error_it_says_what_to_paste(lang: Lang) -> None:
    assert labels(lang)["nothing"] in to_text(answer_of(Status.NO_MATCH, lang=lang, root=None, looked_for="the weather"))


@pytest.mark.parametrize(("rank", "where"), [(None, "(line 4)"), (0, "(rank 0, line 4)"), (3, "(rank 3, line 4)")])
def test_the_error_says_where_it_stands(rank: int | None, where: str) -> None:
    text = to_markdown(answer_of(Status.CANDIDATES, root=ROOT.model_copy(update={"rank": rank})))
    assert f"Error {where}:" in text
    assert "ValueError: the lever is stuck" in fences(text)


def test_a_long_message_is_cut() -> None:
    text = to_markdown(
        answer_of(
            Status.CANDIDATES, root=ROOT.model_copy(update={"message": "\n".join(f"line {n} " + "x" * 300 for n in range(50))})
        )
    )
    assert len(text) < 1000
    assert "line 7" not in text


@given(st.text(alphabet="`a \n~#*", min_size=1, max_size=60))
def test_nothing_in_a_message_leaves_its_fence(message: str) -> None:
    text = to_markdown(
        answer_of(Status.NO_MATCH, root=RootError(type=None, message=message, rank=None, line=1), looked_for=message)
    )
    assert fences(text) == ["\n".join(message.splitlines()[:6]), message]
    fence = max(re.findall(r"^(`{3,})text$", text, re.MULTILINE), key=len)
    assert all(len(run) < len(fence) for run in re.findall("`+", message))


@pytest.mark.parametrize("lang", LANGS)
def test_code_is_the_same_in_plain_text(catalog: Catalog, lang: Lang) -> None:
    for entry in catalog:
        result = result_of(entry, lang)
        lines = to_text(answer_of(Status.MATCH, [result], lang)).splitlines()
        for fix in result.fixes:
            for code in fix.code:
                assert [line for line in code.splitlines() if line not in lines] == [], entry.id


def test_plain_text_has_no_marks_but_those_of_code(catalog: Catalog) -> None:
    fix = FixOut(
        title="Pass **all** of it",
        markdown="Call `f(**kwargs)` **now**:\n\n```python\n## whole\nf(2**3, **kwargs)\n```\n\n  ```sh\n  ls **\n  ```\n",
        code=[],
    )
    result = result_of(catalog.get("AMP003")).model_copy(update={"fixes": [fix]})
    lines = to_text(answer_of(Status.MATCH, [result])).splitlines()
    assert {"Call `f(**kwargs)` now:", "## whole", "f(2**3, **kwargs)", "  ls **", "Fix", f"{result.title} `AMP003`"} <= set(
        lines
    )
    assert not any("```" in line for line in lines)


@pytest.mark.parametrize("lang", LANGS)
def test_when_it_was_run_is_said_of_errors_only(catalog: Catalog, lang: Lang) -> None:
    error = next(entry for entry in catalog if entry.kind == "error")
    guide = next(entry for entry in catalog if entry.kind == "guide")
    for verified in (RUN, None):
        line = verified_line(verified, lang)
        assert line in to_markdown(answer_of(Status.MATCH, [result_of(error, lang, verified)], lang))
        assert line not in to_markdown(answer_of(Status.MATCH, [result_of(guide, lang, verified)], lang))


def test_the_run_is_told_in_full() -> None:
    assert verified_line(RUN, "en") == "Run and verified: torch 2.13.0, peft 0.21, Python 3.11.2, cpu, 2026-01-02"
    assert "not been run" in verified_line(None, "en")


@pytest.mark.parametrize(
    "text", ["ValueError: Attempting to unscale FP16 gradients.", "显存不足怎么办", "KeyError: 'a banana'", "the weather is fine"]
)
def test_real_answers_end_with_one_newline_and_speak_one_language(lookup: Lookup, text: str) -> None:
    for lang in LANGS:
        answer = lookup.answer(text, lang=lang)
        for written in (to_markdown(answer), to_text(answer)):
            assert written.endswith("\n")
            assert not written.endswith("\n\n")
            assert labels(lang)[answer.status.value] in written
