"""The encoders, with the real bundled model and without network."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copyfile

import numpy as np
import pytest

from errdex.encoder import (
    MAX_CHARACTERS,
    BundledEncoder,
    Encoder,
    Role,
    SentenceTransformersEncoder,
    load_encoder,
    model_folder,
)
from errdex.errors import EncoderError

# the same five errors in each language
QUESTIONS = {
    "en": [
        "CUDA runs out of memory while training, how can I use less?",
        "The loss becomes NaN after some steps",
        "Tensors are on different devices, cpu and cuda",
        "Multi-GPU training hangs until NCCL times out",
        "Loading the checkpoint fails because a layer has another shape",
    ],
    "zh-CN": [
        "训练时 CUDA 显存不足，怎样减少占用？",
        "训练几步之后损失变成 NaN",
        "张量位于不同的设备上，cpu 和 cuda",
        "多 GPU 训练卡住，直到 NCCL 超时",
        "加载检查点失败，因为某一层的形状不同",
    ],
    "zh-TW": [
        "訓練時 CUDA 記憶體不足，怎樣減少用量？",
        "訓練幾步之後損失變成 NaN",
        "張量位於不同的裝置上，cpu 和 cuda",
        "多 GPU 訓練卡住，直到 NCCL 逾時",
        "載入檢查點失敗，因為某一層的形狀不同",
    ],
}


@pytest.fixture(scope="module")
def bundled() -> BundledEncoder:
    return BundledEncoder()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a sentence-transformers folder around a random BERT with 32 hidden units."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny")
    words = ["[PAD]", "[UNK]", "[CLS]", "query", "passage", ":", "loss", "nan", "out", "of", "memory"]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 2)])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]")  # type: ignore[no-untyped-call]
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(folder / "parts")
    fast.save_pretrained(folder / "parts")
    modules = [Transformer(str(folder / "parts"), max_seq_length=64), Pooling(32, "mean")]
    SentenceTransformer(modules=modules, device="cpu").save(str(folder / "plain"))
    return folder / "plain"


def assert_unit_rows(vectors: np.ndarray, shape: tuple[int, int]) -> None:
    assert vectors.shape == shape
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_vectors_are_float32_rows_of_length_one(bundled: BundledEncoder) -> None:
    texts = ["ValueError: Attempting to unscale FP16 gradients.", "", "显存不足", "\x00\x1b[31m \ud800 🤗"]
    for role in Role:
        assert_unit_rows(bundled.encode(texts, role), (4, bundled.dimension))
    assert bundled.dimension == 384
    assert bundled.encode([], Role.QUERY).shape == (0, 384)


def test_the_name_identifies_the_files(bundled: BundledEncoder) -> None:
    assert bundled.name == load_encoder(None).name
    assert bundled.name.startswith("bundled:sha256:")
    assert len(bundled.name) == len("bundled:sha256:") + 16


def test_same_text_same_vector_alone_or_among_others(bundled: BundledEncoder) -> None:
    texts = [text for language in QUESTIONS.values() for text in language] + ["x " * 500]
    alone = np.concatenate([BundledEncoder().encode([text], Role.PASSAGE) for text in texts[:3]])
    together = bundled.encode(texts, Role.PASSAGE)
    np.testing.assert_array_equal(together[:3], alone)
    np.testing.assert_array_equal(bundled.encode(texts[::-1], Role.PASSAGE)[::-1], together)


def test_the_cache_returns_what_the_model_returns(bundled: BundledEncoder) -> None:
    text = QUESTIONS["en"][0]
    first = bundled.encode([text], Role.QUERY)
    first_copy = first.copy()
    first[:] = 0  # the caller owns its rows
    np.testing.assert_array_equal(bundled.encode([text], Role.QUERY), first_copy)
    assert not np.array_equal(bundled.encode([text], Role.PASSAGE), first_copy)


def test_threads_get_the_same_vectors(bundled: BundledEncoder) -> None:
    texts = QUESTIONS["en"] * 4
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda text: bundled.encode([text], Role.QUERY)[0], texts))
    np.testing.assert_array_equal(np.stack(rows), bundled.encode(texts, Role.QUERY))


def test_only_the_start_of_a_long_text_counts(bundled: BundledEncoder) -> None:
    start = "RuntimeError: CUDA out of memory. " * (MAX_CHARACTERS // 30)
    vectors = bundled.encode([start, start + "y" * 1_000_000], Role.PASSAGE)
    np.testing.assert_array_equal(vectors[0], vectors[1])


def test_of_a_query_half_as_much_is_read_as_of_a_passage(bundled: BundledEncoder) -> None:
    words = "why does it stop " * 16  # some tokens more than a query may have
    for role, counts in ((Role.QUERY, False), (Role.PASSAGE, True)):
        one, other = bundled.encode([words, f"{words} out of memory"], role)
        assert (one @ other < 0.9999) == counts


@pytest.mark.parametrize("language", ["zh-CN", "zh-TW"])
def test_a_question_is_nearest_to_its_translation(bundled: BundledEncoder, language: str) -> None:
    english = bundled.encode(QUESTIONS["en"], Role.QUERY)
    similarity = english @ bundled.encode(QUESTIONS[language], Role.PASSAGE).T
    assert similarity.argmax(axis=1).tolist() == [0, 1, 2, 3, 4]
    # also against the other errors in the language of the question itself
    others = english @ bundled.encode(QUESTIONS["en"], Role.PASSAGE).T
    np.fill_diagonal(others, -1)
    assert (similarity.diagonal() > others.max(axis=1)).all()


def test_runtimes_are_imported_late() -> None:
    code = """
import sys
import errdex.encoder as encoder
heavy = {"onnxruntime", "tokenizers", "sentence_transformers", "transformers", "torch"}
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
encoder.load_encoder(None).encode(["loss is nan"], encoder.Role.QUERY)
print(sorted(heavy & sys.modules.keys()))
"""
    api = Path(__file__).resolve().parents[1] / "api"
    done = subprocess.run([sys.executable, "-c", code], cwd=api, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['onnxruntime', 'tokenizers']"


@pytest.mark.parametrize("name", ["encoder.onnx", "tokenizer.json"])
@pytest.mark.parametrize("damage", ["missing", "empty", "short", "text"])
def test_a_damaged_model_is_reported_with_a_remedy(tmp_path: Path, name: str, damage: str) -> None:
    for part in ("encoder.onnx", "tokenizer.json"):
        copyfile(model_folder() / part, tmp_path / part)
    path = tmp_path / name
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes({"empty": b"", "short": path.read_bytes()[:10_000], "text": b"version https://git-lfs"}[damage])
    with pytest.raises(EncoderError, match=r"python model/build\.py"):
        BundledEncoder(tmp_path)


def test_another_model_can_be_loaded(tiny: Path) -> None:
    encoder: Encoder = load_encoder(str(tiny))
    assert encoder.name == f"sentence-transformers:{tiny}"
    assert encoder.dimension == 32
    texts = ["loss nan", "out of memory", "", "\ud800"]
    vectors = encoder.encode(texts, Role.QUERY)
    assert_unit_rows(vectors, (4, 32))
    np.testing.assert_allclose(encoder.encode(texts[:1], Role.QUERY), vectors[:1], atol=1e-5)
    assert encoder.encode([], Role.QUERY).shape == (0, 32)
    # no prefix: this model is no e5 and has no prompts
    np.testing.assert_array_equal(encoder.encode(texts, Role.PASSAGE), vectors)


def test_prefixes_are_for_e5_and_for_models_with_prompts(tiny: Path) -> None:
    text = ["loss nan"]
    plain = SentenceTransformersEncoder(str(tiny))
    prefixed = plain.encode(["query: loss nan"], Role.QUERY)
    e5 = tiny.rename(tiny.with_name("tiny-e5"))
    try:
        np.testing.assert_allclose(SentenceTransformersEncoder(str(e5)).encode(text, Role.QUERY), prefixed, atol=1e-6)
    finally:
        e5.rename(tiny)
    plain._model.prompts = {"query": "query: ", "document": "passage: "}
    plain._model.save(str(tiny.with_name("prompted")))
    prompted = SentenceTransformersEncoder(str(tiny.with_name("prompted")))
    np.testing.assert_allclose(prompted.encode(text, Role.QUERY), prefixed, atol=1e-6)
    assert not np.allclose(prompted.encode(text, Role.PASSAGE), prefixed, atol=1e-4)


def test_a_folder_without_a_model_is_reported(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match="sentence-transformers name or folder"):
        load_encoder(str(tmp_path))


def test_a_missing_extra_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EncoderError, match=r"errdex\[models\]"):
        load_encoder("any/model")
