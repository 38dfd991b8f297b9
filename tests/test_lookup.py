"""The whole path on the real knowledge, with the real encoder."""

import dataclasses
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errdex.asked import MAX_TEXT
from errdex.catalog import Catalog
from errdex.encoder import Encoder
from errdex.entry import Lang
from errdex.errors import EmptyInputError, InputError, NotTextError
from errdex.index import Index
from errdex.links import Links
from errdex.lookup import Lookup
from errdex.models import Answer, RootError, Stage, Status
from errdex.report import Report, read_report
from tests.logs import LAUNCHER, MULTI_RANK, PASSING, TRACE, UNKNOWN, UNSCALE, ids
from tests.made import CountingEncoder
from tests.test_redact import SECRETS


def unlike(answer: Answer) -> dict[str, object]:
    return answer.model_dump(exclude={"request_id"})


@pytest.mark.parametrize("text", ["", " ", "\n\t \r\n", "\u3000"])
def test_an_empty_text_is_refused(lookup: Lookup, text: str) -> None:
    for ask in (lookup.answer, lookup.search):
        with pytest.raises(EmptyInputError) as caught:
            ask(text)
        assert caught.value.field == "traceback"


@pytest.mark.parametrize(
    "text",
    [
        "\x7fELF\x02\x01\x01" + "\x00" * 50,
        "\x00\x01\x02\x03",
        "PK\x03\x04\x14\x00\x00\x00",
        b"\x89PNG\r\n\x1a\n\xff\xfe\xfd".decode(errors="replace"),
        "\x00" * 5000 + TRACE,
    ],
)
def test_a_binary_is_refused(lookup: Lookup, text: str) -> None:
    for ask in (lookup.answer, lookup.search):
        with pytest.raises(NotTextError):
            ask(text)


@pytest.mark.parametrize(
    "text",
    ["\x1b[31m" + UNSCALE + "\x1b[0m", "\x00" + TRACE, "\ufffd" + TRACE, chr(0xD800) + TRACE, "\r\n".join(TRACE.splitlines())],
)
def test_a_few_odd_characters_do_no_harm(lookup: Lookup, text: str) -> None:
    answer = lookup.answer(text)
    assert (answer.status, ids(answer)[0]) == (Status.MATCH, "AMP003")
    assert answer.model_dump_json()


@settings(max_examples=60, deadline=None)
@given(text=st.text(min_size=1, max_size=300))
def test_any_text_has_an_answer(lookup: Lookup, text: str) -> None:
    try:
        answer = lookup.answer(text)
    except (EmptyInputError, NotTextError):
        return
    assert (answer.status is Status.NO_MATCH) == (not answer.results)
    assert Answer.model_validate_json(answer.model_dump_json()) == answer


CARRIERS = {
    "in the message": "ValueError: Attempting to unscale FP16 gradients. {}",
    "in a known line": "AttributeError: 'Trainer' object has no attribute '{}'",
    "in an unknown error": "KeyError: 'banana {} missing'",
    "in somebody's words": "我用 {} 训练时显存不足，怎么办？",
    "in a question": "how do I log in with {} on the hub?",
    "in a log": "step 1 {}\n[rank0]: RuntimeError: lever failed {}\n{}",
}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS.keys())
@pytest.mark.parametrize("carrier", CARRIERS.values(), ids=CARRIERS.keys())
def test_no_secret_is_in_an_answer(index: Index, encoder: Encoder, carrier: str, secret: str) -> None:
    counting = CountingEncoder(encoder)
    forms = Lookup(index, counting, Links(contribute_url="https://forge.example/new?title={title}&body={body}"))
    answer = forms.answer(carrier.replace("{}", secret))
    assert secret not in answer.model_dump_json()
    assert answer.report.redactions >= 1
    assert not any(secret in text for text in counting.texts)


@pytest.mark.parametrize("before", [0, 1, 7, 5000])
def test_evidence_names_the_line_of_the_input(lookup: Lookup, before: int) -> None:
    answer = lookup.answer("INFO starting\n" * before + TRACE)
    evidence = answer.results[0].evidence
    assert (evidence.stage, evidence.line, evidence.text) == (Stage.SIGNATURE, before + 4, UNSCALE)
    assert answer.report.root is not None
    assert answer.report.root.line == before + 4


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_evidence_of_every_sample_stands_on_its_line(lookup: Lookup, catalog: Catalog) -> None:
    checked = 0
    for entry in catalog.active:
        for name, text in entry.samples.items():
            if not name.startswith("hit-") or name.startswith("hit-question") or text.count("\\n") >= 2:
                continue
            for result in lookup.answer(text, limit=10).results:
                if result.evidence.stage is not Stage.SIGNATURE:
                    continue
                assert result.evidence.line is not None
                assert result.evidence.text
                line = squeezed(text.split("\n")[result.evidence.line - 1]).removeprefix("what():")
                words = squeezed(result.evidence.text)
                # A message over several lines is joined, and its type stands there without its module.
                assert words in line or words[:12] in line or line[:12] in words, (name, result.evidence, line)
                checked += 1
    assert checked > 100


@pytest.mark.parametrize("repeats", [1, 63, 64, 65, 3000])
def test_the_root_is_found_behind_any_number_of_the_same_line(lookup: Lookup, repeats: int) -> None:
    answer = lookup.answer("WARNING skipped a batch: Attempting to unscale FP16 gradients.\n" * repeats + TRACE)
    assert (answer.status, ids(answer)[0]) == (Status.MATCH, "AMP003")
    assert answer.results[0].evidence.line == repeats + 4


def test_a_wording_stands_before_a_shape(lookup: Lookup, catalog: Catalog) -> None:
    found = ids(lookup.answer("AttributeError: 'DistributedDataParallel' object has no attribute 'save_pretrained'", limit=10))
    generic = [catalog.get(entry_id).generic for entry_id in found]
    assert generic == sorted(generic)
    assert not generic[0]


def test_captures_are_in_the_evidence(lookup: Lookup) -> None:
    text = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
    captures = lookup.answer(text).results[0].evidence.captures
    assert captures == {"device1": "cuda:0", "device2": "cpu"}


@pytest.mark.parametrize(
    ("text", "asked", "fallback", "lang"),
    [
        (UNSCALE, None, "en", "en"),
        (UNSCALE, None, "zh-TW", "zh-TW"),
        ("训练时报错：" + UNSCALE, None, "en", "zh-CN"),
        ("訓練時發生錯誤：" + UNSCALE, None, "en", "zh-TW"),
        ("训练时报错：" + UNSCALE, None, "zh-TW", "zh-CN"),
        ("训练时报错：" + UNSCALE, "en", "zh-TW", "en"),
        ("how do I fix " + UNSCALE, None, "zh-CN", "zh-CN"),
    ],
)
def test_the_language_is_asked_for_or_spoken_or_else_the_fallback(
    lookup: Lookup, text: str, asked: Lang | None, fallback: Lang, lang: str
) -> None:
    answer = lookup.answer(text, lang=asked, fallback=fallback)
    assert (answer.lang, {result.lang for result in answer.results}) == (lang, {lang})


@pytest.mark.parametrize("lang", ["en", "zh-CN", "zh-TW"])
def test_a_result_is_the_page_of_its_language(lookup: Lookup, catalog: Catalog, lang: Lang) -> None:
    result = lookup.answer(UNSCALE, lang=lang).results[0]
    page = catalog.get("AMP003").pages[lang]
    assert (result.title, result.summary) == (page.title, page.summary)
    assert [fix.code for fix in result.fixes] == [fix.code for fix in page.fixes]
    assert result.url == f"http://127.0.0.1:8000/{lang}/amp/unscale-fp16-gradients/"


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_no_more_results_than_asked_for(lookup: Lookup, limit: int) -> None:
    question = "loss becomes nan in mixed precision training, how do I find the first nan?"
    some, all_ = (ids(lookup.answer(question, limit=number)) for number in (limit, 10))
    assert some == all_[:limit]
    assert len(all_) > 1


def test_the_callers_versions_stand_beside_those_of_the_text(lookup: Lookup) -> None:
    answer = lookup.answer(f"torch==2.1.0 peft==0.4.0\n{UNSCALE}", environment={"Torch": "2.13.0", "numpy": "1.26"})
    assert answer.report.versions == {"torch": "2.13.0", "peft": "0.4.0", "numpy": "1.26"}


@pytest.mark.parametrize(
    "environment", [{"torch": "nightly, I think"}, {"token": "hf_" + "x" * 30}, {"a b": "1.0"}, {"torch": "1" * 100}]
)
def test_an_environment_holds_versions_only(lookup: Lookup, environment: dict[str, str]) -> None:
    with pytest.raises(InputError, match="versions") as caught:
        lookup.answer(UNSCALE, environment=environment)
    assert caught.value.field == "environment"


@pytest.mark.parametrize("text", [UNKNOWN, "the weather is fine today", "zzz qqq"])
def test_without_a_match_it_says_what_it_looked_for(lookup: Lookup, text: str) -> None:
    answer = lookup.answer(text)
    assert (answer.status, answer.results, answer.looked_for, answer.contribute) == (Status.NO_MATCH, [], text, None)


def test_with_a_match_there_is_nothing_to_look_for_or_to_add(index: Index, encoder: Encoder) -> None:
    answer = Lookup(index, encoder, Links(contribute_url="https://forge.example/new")).answer(UNSCALE)
    assert (answer.looked_for, answer.contribute) == (None, None)


@pytest.mark.parametrize(
    "message",
    [
        "'the banana'",
        "a&b=c #d %20 +e / é 香蕉 ?x=y",
        "{body} and {title} of a banana",
        '"><script>alert(1)</script> banana',
        "banana " * 300,
        "[link](https://elsewhere.example) `banana`",
    ],
)
def test_the_form_for_a_new_entry_is_filled_in(index: Index, encoder: Encoder, message: str) -> None:
    links = Links(contribute_url="https://forge.example/new?title={title}&body={body}&labels=new")
    answer = Lookup(index, encoder, links).answer(f"FluxBananaError: {message}")
    assert answer.contribute is not None
    address = urlsplit(answer.contribute)
    filled = parse_qs(address.query, strict_parsing=True)
    assert (address.netloc, address.fragment, set(filled)) == ("forge.example", "", {"title", "body", "labels"})
    assert filled["title"] == [f"FluxBananaError: {message.strip()[:120]}"]
    assert filled["body"] == [message.strip()[:600]]
    assert not set(answer.contribute) & set(" <>\"'`{}") - {"'"}


@pytest.mark.parametrize(
    "root",
    [None, RootError(type=None, message="", rank=None, line=1), RootError(type="KeyError", message="\n", rank=None, line=1)],
)
def test_the_form_is_there_without_an_error(root: RootError | None) -> None:
    assert (Links(contribute_url="https://forge.example/?t={title}").contribution(root) or "").startswith(
        "https://forge.example/?t="
    )
    assert Links().contribution(root) is None


@pytest.mark.parametrize("base", ["https://errors.example", "https://errors.example/", "https://errors.example/sub//"])
def test_links_have_one_slash(catalog: Catalog, base: str) -> None:
    assert Links(base_url=base).page(catalog.get("AMP003"), "en") == base.rstrip("/") + "/en/amp/unscale-fp16-gradients/"


@pytest.mark.parametrize("text", [UNSCALE, TRACE, MULTI_RANK, MULTI_RANK + LAUNCHER, "训练时报错：" + UNSCALE])
def test_the_model_does_not_run_where_a_signature_decides(index: Index, encoder: Encoder, text: str) -> None:
    counting = CountingEncoder(encoder)
    assert ids(Lookup(index, counting).answer(text))[0] == "AMP003"
    assert counting.texts == []


@pytest.mark.parametrize("text", [UNKNOWN, "how do I train on several GPUs?", PASSING])
def test_the_model_runs_once_where_none_does(index: Index, encoder: Encoder, text: str) -> None:
    counting = CountingEncoder(encoder)
    Lookup(index, counting).answer(text)
    assert len(counting.texts) == 1


def test_without_the_model_signatures_decide_the_same(index: Index, lookup: Lookup) -> None:
    words = Lookup(index, None)
    assert unlike(words.answer(MULTI_RANK)) == unlike(lookup.answer(MULTI_RANK))


def test_without_the_model_words_find_what_no_signature_decides(index: Index) -> None:
    answer = Lookup(index, None).answer("loss becomes nan in mixed precision training")
    assert "AMP008" in ids(answer)
    assert {result.evidence.stage for result in answer.results} == {Stage.LEXICAL}


TEXTS = [UNSCALE, MULTI_RANK + LAUNCHER, UNKNOWN, "显存不足怎么办", "loss becomes nan in mixed precision training", LAUNCHER]


@pytest.mark.parametrize("text", TEXTS)
def test_the_same_text_has_the_same_answer(index: Index, encoder: Encoder, lookup: Lookup, text: str) -> None:
    assert unlike(lookup.answer(text)) == unlike(lookup.answer(text)) == unlike(Lookup(index, encoder).answer(text))
    assert lookup.answer(text).request_id != lookup.answer(text).request_id
    assert lookup.answer(text, request_id="mine").request_id == "mine"


def test_threads_share_a_lookup(lookup: Lookup) -> None:
    alone = [unlike(lookup.answer(text)) for text in TEXTS]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: unlike(lookup.answer(text)), TEXTS * 5)) == alone * 5


def test_only_the_head_of_an_endless_text_is_read(lookup: Lookup) -> None:
    assert lookup.answer(UNSCALE + "\n" + " " * MAX_TEXT + "\n" + UNKNOWN).status is Status.MATCH
    with pytest.raises(EmptyInputError):
        lookup.answer(" " * MAX_TEXT + UNSCALE)


def test_a_search_always_has_the_nearest(lookup: Lookup) -> None:
    found = lookup.search("banana bread")
    assert len(found) >= 3
    assert all(0 <= item.confidence <= 1 for item in found)


@pytest.mark.parametrize(
    "find", [lambda lookup: lookup.answer("显存不足怎么办", limit=10).results, lambda lookup: lookup.search("显存不足怎么办")]
)
def test_confidence_falls_from_result_to_result(lookup: Lookup, find: Callable[[Lookup], list[object]]) -> None:
    found = [getattr(item, "confidence") for item in find(lookup)]  # noqa: B009  # results and ranked candidates alike
    assert found == sorted(found, reverse=True)


def test_the_index_is_named(lookup: Lookup, index: Index) -> None:
    assert lookup.answer(UNSCALE).index == f"sha256:{index.manifest.content}"


def test_what_was_run_is_said(index: Index, encoder: Encoder) -> None:
    for result in Lookup(index, encoder).answer(UNSCALE).results:
        run = index.catalog.get(result.id).checked.run
        assert (result.verified is None) == (run is None)
        if run is not None and result.verified is not None:
            assert result.verified.versions == run.versions
            assert (result.verified.python, result.verified.date) == (run.python, run.date)


def test_answers_do_not_change_afterwards(lookup: Lookup) -> None:
    answer = lookup.answer(UNSCALE)
    with pytest.raises(ValueError, match="frozen"):
        answer.status = Status.NO_MATCH  # type: ignore[misc]  # that it is refused is the point
    with pytest.raises(dataclasses.FrozenInstanceError):
        lookup.links.base_url = "https://elsewhere.example"  # type: ignore[misc]  # that it is refused is the point


def test_what_is_asked_again_is_not_read_again(lookup: Lookup, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def reading(text: str) -> Report:
        read.append(text)
        return read_report(text)

    monkeypatch.setattr("errdex.lookup.read_report", reading)
    text = f"{UNSCALE} in run 20261201"
    first = lookup.answer(text, request_id="1")
    assert lookup.answer(text, request_id="1") == first
    assert len(read) == 1
    chinese = lookup.answer(text, lang="zh-TW", limit=1)
    assert (len(read), chinese.lang, chinese.results[0].id) == (1, "zh-TW", first.results[0].id)
    known = lookup.answer(text, environment={"torch": "2.13.0"}).report.versions
    assert (len(read), known, first.report.versions) == (2, {"torch": "2.13.0"}, {})
    lookup.answer(text + "\n" * 10_000)
    lookup.answer(text + "\n" * 10_000)
    assert len(read) == 4
