"""The word stage: BM25 over code-aware tokens. The only user of bm25s."""

import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

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
FILES = ("starts.npy", "documents.npy", "weights.npy", "tokens.txt")
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
    """BM25 over a fixed list of documents, and how much of a query each document covers.

    Scores are worked out when the index is made: a query adds up one column of numbers for each of its tokens.
    """

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        starts: NDArray[np.int64],
        documents: NDArray[np.int32],
        weights: NDArray[np.float32],
        size: int,
    ) -> None:
        """Take what `from_documents` worked out.

        Args:
            vocabulary: number of each token.
            starts: where each token's column begins in the arrays below, and where the last one ends, shape (tokens + 1,).
            documents: the documents that hold each token, column by column.
            weights: BM25 of each token in each of these documents.
            size: how many documents there are.
        """
        self._vocabulary = vocabulary
        self._starts, self._documents, self._weights = starts, documents, weights
        self._size = size

    @classmethod
    def from_documents(cls, documents: Sequence[str]) -> "LexicalIndex":
        """Index documents in the given order."""
        import bm25s  # type: ignore[import-untyped]  # it ships no types; with scipy it is a fifth of a second, for building only

        retriever = bm25s.BM25(method="lucene", k1=K1, b=B)
        retriever.index([tokenize(document) for document in documents], show_progress=False)
        scores = retriever.scores
        return cls(
            {token: number for token, number in retriever.vocab_dict.items() if token},  # it adds an empty one
            np.asarray(scores["indptr"], dtype=np.int64),
            np.asarray(scores["indices"], dtype=np.int32),
            np.asarray(scores["data"], dtype=np.float32),
            len(documents),
        )

    @cached_property
    def _unknown_weight(self) -> float:
        return math.log1p((self._size + 0.5) / 0.5)

    def _column(self, token: str) -> slice | None:
        number = self._vocabulary.get(token)
        return None if number is None else slice(self._starts[number], self._starts[number + 1])

    def scores(self, tokens: Sequence[str]) -> NDArray[np.float32]:
        """BM25 of every document, shape (documents,); higher is better."""
        scores = np.zeros(self._size, dtype=np.float32)
        for token in tokens:
            if (column := self._column(token)) is not None:
                scores[self._documents[column]] += self._weights[column]
        return scores

    def coverage(self, tokens: Sequence[str]) -> NDArray[np.float32]:
        """Share of the query's information that each document holds, shape (documents,), 0 to 1."""
        total = 0.0
        covered = np.zeros(self._size, dtype=np.float32)
        for token in dict.fromkeys(tokens):
            column = self._column(token)
            found = 0 if column is None else column.stop - column.start
            weight = math.log1p((self._size - found + 0.5) / (found + 0.5)) if found else self._unknown_weight
            total += weight
            if column is not None:
                covered[self._documents[column]] += weight
        return covered / total if total else covered

    def __len__(self) -> int:
        return self._size

    def to_files(self) -> dict[str, bytes]:
        """Arrays and vocabulary as files, by the names in `FILES`."""
        tokens = sorted(self._vocabulary, key=self._vocabulary.__getitem__)
        arrays = (array_bytes(array) for array in (self._starts, self._documents, self._weights))
        return dict(zip(FILES, (*arrays, "\n".join([str(self._size), *tokens]).encode()), strict=True))

    @classmethod
    def from_files(cls, files: Mapping[str, bytes]) -> "LexicalIndex":
        """Take what `to_files` gave.

        Raises:
            ValueError: the files do not fit each other: some position would lie outside of its array.
        """
        starts, documents = array_of(files[FILES[0]], np.int64), array_of(files[FILES[1]], np.int32)
        weights = array_of(files[FILES[2]], np.float32)
        first, *tokens = files[FILES[3]].decode().split("\n")
        size, vocabulary = int(first), {token: number for number, token in enumerate(tokens)}
        if not (
            size > 0
            and len(vocabulary) == len(tokens) == len(starts) - 1
            and starts[0] == 0
            and starts[-1] == len(documents) == len(weights)
            and bool((np.diff(starts) >= 0).all())
            and bool(((documents >= 0) & (documents < size)).all())
            and bool(np.isfinite(weights).all())
        ):
            raise ValueError("the word index does not fit its vocabulary")
        return cls(vocabulary, starts, documents, weights, size)
