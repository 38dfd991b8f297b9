"""How long it takes to find the nearest passages, and the words, among 100 to 1,000,000; one thread.

    python -m bench.speed.retrieval --sizes 100 1000 10000 100000 1000000

Two sets: `like` is made of the vectors of the real index and asked with real questions, both moved at random; `anywhere`
has vectors and questions in every direction alike, which is harder than any text. `recall` is the share of the ten
nearest by exact comparison that are among the ten found.
"""

import argparse
import gc
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.speed.rows import anywhere, like
from errdex.encoder import Role, load_encoder
from errdex.index import load_index
from errdex.lexical import LexicalIndex, tokenize
from errdex.settings import Settings
from errdex.vectors import VectorIndex

_NEAREST = 10
_BENCH = Path(__file__).resolve().parents[1]


def _resident() -> int:
    """Memory that this process holds, in MiB."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


def _timed(calls: Sequence[Callable[[], object]]) -> dict[str, float]:
    """Milliseconds of each call: by the clock, and by the processor, which a busy machine changes less."""
    clock, processor = [], []
    for call in calls:
        before, used = time.perf_counter(), time.thread_time()
        call()
        clock.append((time.perf_counter() - before) * 1e3)
        processor.append((time.thread_time() - used) * 1e3)
    return {
        "ms_p50": round(float(np.percentile(clock, 50)), 3),
        "ms_p99": round(float(np.percentile(clock, 99)), 3),
        "cpu_ms_p50": round(float(np.percentile(processor, 50)), 3),
        "cpu_ms_p99": round(float(np.percentile(processor, 99)), 3),
    }


def nearest(rows: NDArray[np.float32], queries: NDArray[np.float32]) -> dict[str, Any]:
    """Speed and recall of `VectorIndex.nearest`."""
    before, start = _resident(), time.perf_counter()
    index = VectorIndex.from_vectors(rows)
    built, added = time.perf_counter() - start, _resident() - before
    index.nearest(queries[0], _NEAREST)
    figures = _timed([lambda query=query: index.nearest(query, _NEAREST) for query in queries])  # type: ignore[misc]  # each call its own query
    found = 0
    for query in queries:
        exact = np.argpartition(-index.similarities(query), _NEAREST - 1)[:_NEAREST]
        found += len(set(exact.tolist()) & set(index.nearest(query, _NEAREST)[0].tolist()))
    return {
        "rows": len(rows),
        **figures,
        "recall_at_10": round(found / _NEAREST / len(queries), 4),
        "build_s": round(built, 2),
        "rows_mib": rows.nbytes >> 20,
        "codes_mib": max(added, 0),
    }


def words(documents: int, questions: Sequence[str], random: np.random.Generator) -> dict[str, Any]:
    """Speed of the word stage over made documents: 60 words each, frequent ones as in any text (Zipf)."""
    vocabulary = sorted({token for question in questions for token in tokenize(question)})
    vocabulary += [f"word{number}" for number in range(50_000)]
    ranks = np.minimum(random.zipf(1.2, documents * 60) - 1, len(vocabulary) - 1)
    shuffled = random.permutation(len(vocabulary))
    texts = [" ".join(vocabulary[shuffled[rank]] for rank in ranks[start : start + 60]) for start in range(0, len(ranks), 60)]
    before, start = _resident(), time.perf_counter()
    index = LexicalIndex.from_documents(texts)
    built, added = time.perf_counter() - start, _resident() - before
    asked = [tokenize(question) for question in questions]

    def both(tokens: list[str]) -> None:
        index.scores(tokens)
        index.coverage(tokens)

    figures = _timed([lambda tokens=tokens: both(tokens) for tokens in asked])  # type: ignore[misc]  # each call its own tokens
    return {"documents": documents, **figures, "build_s": round(built, 2), "mib": max(added, 0)}


def real_queries(count: int, random: np.random.Generator) -> tuple[list[str], NDArray[np.float32]]:
    """Texts of the benchmark, and vectors of their kind."""
    lines = (_BENCH / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    vectors = load_encoder(None).encode(texts, Role.QUERY)
    return texts[:count], like(vectors, count, random, noise=0.25)


def main() -> None:
    """Print one line of JSON for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--words-up-to", type=int, default=100_000, help="building the word stage takes long")
    given = parser.parse_args()
    random = np.random.default_rng(0)
    real = load_index(Settings().index).vectors.rows()
    texts, queries = real_queries(given.queries, random)
    strange = anywhere(given.queries, real.shape[1], random)

    def told(stage: str, figures: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps({"stage": stage, **figures}) + "\n")
        sys.stdout.flush()
        gc.collect()

    for size in given.sizes:
        told("nearest, like", nearest(like(real, size, random), queries))
        told("nearest, anywhere", nearest(anywhere(size, real.shape[1], random), strange))
        if size <= given.words_up_to:
            told("words", words(size, texts, random))


if __name__ == "__main__":
    main()
