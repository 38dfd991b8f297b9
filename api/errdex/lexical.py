"""The word stage: BM25 over code-aware tokens. The only user of bm25s."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

import bm25s  # type: ignore[import-untyped]  # it ships no types
import numpy as np
from numpy.typing import NDArray

from errdex.arrays import array_bytes, array_of
from errdex.language import HAN, to_simplified
from errdex.normalize import normalize

_WORD = re.compile(
    r"[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*|\d+(?:\.\d+)*|[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+",
    re.ASCII,
)
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
FILES = ("data.npy", "indices.npy", "indptr.npy", "words.json")
K1, B = 1.2, 0.5  # BM25: how soon repeating a token counts no more; how much a long document is held down
_STOP = frozenset(
    "a an and are as at be been but by for from had has have i in is it its me my not of on or so that the their then there "
    "this to was we were what when which while will with you your do does did how why can just am if".split(),
)
_STOP_HAN = frozenset("的了是在我有和就不也都吗呢啊这那个么怎请问为什很把被时到会要用")


def _code_tokens(word: str) -> list[str]:
    """A name, and the words inside it: `torch.cuda.amp`, `LayerNormKernelImpl`, `grad_norm`."""
    tokens = [word.lower()]
    for part in word.split("."):
        pieces = [piece for chunk in part.split("_") for piece in _CAMEL.findall(chunk)]
        tokens += [part.lower()] if part != word else []
        tokens += [piece.lower() for piece in pieces if len(pieces) > 1 and len(piece) > 1]
    return tokens


def _stem(token: str) -> str:
    """Plural and verb endings off: enough for log English, never for names with digits or dots."""
    if not token.isalpha() or len(token) < 5:
        return token
    for ending in ("ing", "ed", "es", "s"):
        if token.endswith(ending) and len(token) - len(ending) >= 4 and not token.endswith("ss"):
            return token[: -len(ending)]
    return token


def tokenize(text: str) -> list[str]:
    """Tokens of a text in any of the three languages.

    Names are kept whole and split; Chinese of both scripts becomes overlapping pairs of Simplified characters, which
    needs no dictionary and finds `显存` inside `显存不足` and `顯示記憶體` inside `顯示記憶體不足`.
    """
    return split_words(normalize(to_simplified(text)))


def split_words(text: str) -> list[str]:
    """Tokens of a text as it stands: its Chinese is Simplified already, and no part of it is left out."""
    tokens: list[str] = []
    for match in _WORD.finditer(text):
        word = match[0]
        if HAN.match(word):
            pairs = [word[i : i + 2] for i in range(len(word) - 1)] or [word]
            tokens += [pair for pair in pairs if not (pair[0] in _STOP_HAN and pair[-1] in _STOP_HAN)]
        else:
            tokens += [_stem(token) for token in _code_tokens(word) if token not in _STOP]
    return tokens


class LexicalIndex:
    """BM25 over a fixed list of documents, and how much of a query each document covers."""

    def __init__(self, retriever: bm25s.BM25, postings: Mapping[str, Sequence[int] | NDArray[np.int32]], documents: int) -> None:
        self._retriever = retriever
        self._postings = postings
        self._documents = documents

    @classmethod
    def from_documents(cls, documents: Sequence[str]) -> "LexicalIndex":
        """Index documents in the given order."""
        tokenized = [tokenize(document) for document in documents]
        retriever = bm25s.BM25(method="lucene", k1=K1, b=B)
        retriever.index(tokenized, show_progress=False)
        postings: dict[str, list[int]] = {}
        for number, tokens in enumerate(tokenized):
            for token in dict.fromkeys(tokens):
                postings.setdefault(token, []).append(number)
        return cls(retriever, postings, len(documents))

    def __len__(self) -> int:
        return self._documents

    @cached_property
    def _unknown_weight(self) -> float:
        return math.log1p((self._documents + 0.5) / 0.5)

    def _weight(self, token: str) -> float:
        found = len(self._postings.get(token, ()))
        if not found:
            return self._unknown_weight
        return math.log1p((self._documents - found + 0.5) / (found + 0.5))

    def scores(self, tokens: Sequence[str]) -> NDArray[np.float32]:
        """BM25 of every document, shape (documents,); higher is better."""
        known = [token for token in tokens if token in self._postings]
        if not known:
            return np.zeros(self._documents, dtype=np.float32)
        return np.asarray(self._retriever.get_scores(known), dtype=np.float32)

    def coverage(self, tokens: Sequence[str]) -> NDArray[np.float32]:
        """Share of the query's information that each document holds, shape (documents,), 0 to 1."""
        total = 0.0
        covered = np.zeros(self._documents, dtype=np.float32)
        for token in dict.fromkeys(tokens):
            weight = self._weight(token)
            total += weight
            covered[self._postings.get(token, [])] += weight
        return covered / total if total else covered

    def to_files(self) -> dict[str, bytes]:
        """Arrays and vocabulary as files; `FILES` has their names."""
        scores, numbers = self._retriever.scores, self._retriever.vocab_dict
        words = {"documents": self._documents, "words": [word for word in sorted(numbers, key=numbers.__getitem__) if word]}
        arrays = (array_bytes(scores[name]) for name in ("data", "indices", "indptr"))
        return dict(zip(FILES, (*arrays, json.dumps(words, ensure_ascii=False).encode()), strict=True))

    @classmethod
    def from_files(cls, files: Mapping[str, bytes]) -> "LexicalIndex":
        """Take what `to_files` gave.

        Raises:
            ValueError: the files do not fit each other: some position would lie outside of its array.
        """
        data, indices, indptr = (
            array_of(files[name], dtype) for name, dtype in zip(FILES, (np.float32, np.int32, np.int64), strict=False)
        )
        stored = json.loads(files[FILES[3]])
        words, documents = stored["words"], stored["documents"]
        if not (isinstance(words, list) and isinstance(documents, int) and all(isinstance(word, str) for word in words)):
            raise ValueError("not a vocabulary")
        if not (
            documents >= 0
            and len(set(words)) == len(words) == len(indptr) - 1
            and indptr[0] == 0
            and indptr[-1] == len(indices) == len(data)
            and bool((np.diff(indptr) >= 0).all())
            and bool(((indices >= 0) & (indices < documents)).all())
            and bool(np.isfinite(data).all())
        ):
            raise ValueError("the word index does not fit its vocabulary")
        retriever = bm25s.BM25(method="lucene", k1=K1, b=B)
        retriever.scores = {"data": data, "indices": indices, "indptr": indptr, "num_docs": documents}
        retriever.vocab_dict = {word: number for number, word in enumerate(words)}
        retriever.unique_token_ids_set = set(range(len(words)))
        retriever.nonoccurrence_array = None
        bounds = indptr.tolist()
        postings = {word: indices[bounds[number] : bounds[number + 1]] for number, word in enumerate(words)}
        return cls(retriever, postings, documents)
