import bm25s  # type: ignore[import-untyped]  # it ships no types
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errdex.lexical import FILES, K1, B, LexicalIndex, tokenize

DOCUMENTS = (
    "CUDA out of memory. Tried to allocate 2.00 GiB 显存不足",
    "Attempting to unscale FP16 gradients. GradScaler torch.cuda.amp.GradScaler",
    "Expected all tensors to be on the same device 張量在不同的裝置上",
    "",
    "loss becomes NaN in mixed precision 損失變成 NaN",
)
QUERIES = (
    "显存不足 out of memory",
    "unscale gradients",
    "NaN loss",
    "the same device",
    "torch.cuda",
    "quince jam",
    "",
    "of the and",
)


@pytest.fixture(scope="module")
def words() -> LexicalIndex:
    return LexicalIndex.from_documents(DOCUMENTS)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("grad_norm", ["grad_norm", "grad", "norm"]),
        ("GradScaler", ["gradscaler", "grad", "scaler"]),
        ("LayerNormKernelImpl", ["layernormkernelimpl", "layer", "norm", "kernel", "impl"]),
        ("torch.cuda.amp", ["torch.cuda.amp", "torch", "cuda", "amp"]),
        ("NCCLError", ["ncclerror", "nccl", "error"]),
        ("2.13.0", ["2.13.0", "2", "13", "0"]),
        ("CUDA", ["cuda"]),
        ("how do I fix the loss", ["fix", "loss"]),
        ("gradients tensors classes allocated training", ["gradient", "tensor", "class", "allocat", "train"]),
        ("bus less his", ["bus", "less", "his"]),
        ("'Half'", ["half"]),
        ("显存不足", ["显存", "存不", "不足"]),
        ("卡", ["卡"]),
        ("的", []),
        ("为什么", []),
        ("用GPU训练", ["用", "gpu", "训练"]),
        ("", []),
        ("!?. --- ()", []),
    ],
)
def test_the_tokens_of_a_text(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == [token for token in tokens if token != "用"]


@pytest.mark.parametrize(
    ("simplified", "traditional"),
    [
        ("显存不足", "顯存不足"),
        ("训练时损失变成 NaN", "訓練時損失變成 NaN"),
        ("张量不在同一设备", "張量不在同一設備"),
        ("梯度检查点", "梯度檢查點"),
    ],
)
def test_both_scripts_give_the_same_tokens(simplified: str, traditional: str) -> None:
    assert tokenize(simplified) == tokenize(traditional) != []


@pytest.mark.parametrize("part", ["torch", "cuda", "GradScaler", "scaler", "torch.cuda.amp.GradScaler"])
def test_a_name_is_found_by_each_of_its_parts(words: LexicalIndex, part: str) -> None:
    assert np.argmax(words.scores(tokenize(part))) == 1 or part == "cuda"
    assert words.scores(tokenize(part))[1] > 0


def test_plurals_and_names_meet() -> None:
    assert tokenize("gradient") == tokenize("gradients") == tokenize("Gradients")


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("显存不足", 0),
        ("顯存不足", 0),
        ("unscale FP16", 1),
        ("张量 不同的设备", 2),
        ("装置上的張量", 2),
        ("why is my loss nan?", 4),
        ("损失变成", 4),
    ],
)
def test_the_right_document_scores_best(words: LexicalIndex, query: str, document: int) -> None:
    assert int(np.argmax(words.scores(tokenize(query)))) == document
    assert int(np.argmax(words.coverage(tokenize(query)))) == document


@pytest.mark.parametrize("query", ["", "of the and", "的了", "quince jam", "榅桲果酱"])
def test_empty_and_unknown_words_score_nothing(words: LexicalIndex, query: str) -> None:
    tokens = tokenize(query)
    assert not words.scores(tokens).any()
    assert not words.coverage(tokens).any()
    assert words.scores(tokens).shape == words.coverage(tokens).shape == (len(DOCUMENTS),)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="abcgrdientsofmy NaN 显存不足顯損失 ._0123", max_size=80))
def test_coverage_is_a_share(text: str) -> None:
    index = LexicalIndex.from_documents(DOCUMENTS)
    covered = index.coverage(tokenize(text))
    assert ((covered >= 0) & (covered <= 1 + 1e-6)).all()


def test_coverage_of_itself_is_whole_and_of_half_is_part(words: LexicalIndex) -> None:
    assert words.coverage(tokenize("unscale gradients"))[1] == pytest.approx(1)
    assert 0 < words.coverage(tokenize("unscale quinces"))[1] < 1


def test_words_said_twice_cover_no_more(words: LexicalIndex) -> None:
    once, twice = (words.coverage(tokenize(text)) for text in ("unscale quince", "unscale unscale quince"))
    assert (once == twice).all()


@pytest.mark.parametrize("documents", [("one lever",), ("one lever", ""), ("显存",) * 3])
def test_few_documents_will_do(documents: tuple[str, ...]) -> None:
    index = LexicalIndex.from_documents(documents)
    tokens = tokenize(documents[0])
    assert (LexicalIndex.from_files(index.to_files()).scores(tokens) == index.scores(tokens)).all()
    assert index.scores(tokens)[0] > 0


@pytest.mark.parametrize("query", QUERIES)
def test_what_comes_back_scores_as_what_was_given(words: LexicalIndex, query: str) -> None:
    back, tokens = LexicalIndex.from_files(words.to_files()), tokenize(query)
    assert (back.scores(tokens) == words.scores(tokens)).all()
    assert (back.coverage(tokens) == words.coverage(tokens)).all()


@pytest.mark.parametrize("query", [query for query in QUERIES if set(tokenize(query)) - {"quince", "jam"}])
def test_a_query_scores_as_the_library_scores_it(words: LexicalIndex, query: str) -> None:
    retriever = bm25s.BM25(method="lucene", k1=K1, b=B)
    retriever.index([tokenize(document) for document in DOCUMENTS], show_progress=False)
    known = [token for token in tokenize(query) if token in retriever.vocab_dict]
    np.testing.assert_allclose(words.scores(tokenize(query)), retriever.get_scores(known), rtol=1e-6)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("content", [b"", b"{", b"\x80\x04N.", b"\xff\xfe", b"-1\n", b"0", b"5\nlever\nlever"])
def test_rubbish_is_refused(words: LexicalIndex, name: str, content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        LexicalIndex.from_files(words.to_files() | {name: content})
