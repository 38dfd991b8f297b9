"""Text to vectors: the bundled int8 model, or any sentence-transformers model. The only module that imports a runtime.

onnxruntime, tokenizers and sentence_transformers are imported when an encoder is made, never with this module.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from errdex.errors import EncoderError
from errdex.recent import Recent

PACKAGE = Path(__file__).resolve().parent
MAX_CHARACTERS = 2000  # cut before tokenising, so that a huge text costs no time
MAX_TOKENS = 128
MAX_QUERY_TOKENS = 64  # twice as many take twice the time and change next to nothing: docs/benchmark.md
_REMEDY = "reinstall errdex, or in a checkout run `python model/build.py`"
_FILES = ("encoder.onnx", "tokenizer.json")
_CHUNK = 1 << 20  # bytes that are hashed at once
CACHED_QUERIES = 1024  # 1.5 MB of vectors


class Role(Enum):
    """What a text is to the search; e5 models were trained with a prefix for each."""

    QUERY = "query"
    PASSAGE = "passage"

    @property
    def prefix(self) -> str:
        """The words an e5 model expects before the text."""
        return f"{self.value}: "


class Encoder(Protocol):
    """Anything that turns texts into vectors."""

    @property
    def name(self) -> str:
        """Identity of the model: an index fits only the encoder whose name it carries."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """Embed texts -> (len(texts), dimension) float32, rows of length 1; no text gives (0, dimension)."""


def model_folder() -> Path:
    """Return the folder of the bundled model: inside the package in a wheel, beside `api` in a checkout."""
    inside = PACKAGE / "model"
    return inside if inside.is_dir() else PACKAGE.parents[1] / "model"


def clipped(text: str) -> str:
    """Return the start of a text, with lone surrogates as `?`: no tokenizer takes them."""
    return text[:MAX_CHARACTERS].encode(errors="replace").decode()


def load_encoder(model: str | None) -> Encoder:
    """Load the bundled encoder, or the sentence-transformers model of that name or folder.

    Raises:
        EncoderError: a model file is missing or damaged, the name is unknown, or the extra is not installed.
    """
    return SentenceTransformersEncoder(model) if model else BundledEncoder()


def encoder_name(model: str | None) -> str:
    """The name of the encoder that `load_encoder` would load, without loading it.

    Raises:
        EncoderError: a file of the bundled model is missing.
    """
    return f"sentence-transformers:{model}" if model else _bundled_name(model_folder())


def _bundled_name(folder: Path) -> str:
    digest = sha256()
    try:
        for name in _FILES:
            with (folder / name).open("rb") as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
    except OSError as error:
        raise EncoderError(f"The bundled model cannot be read in {folder}: {_REMEDY}.") from error
    return f"bundled:sha256:{digest.hexdigest()[:16]}"


class BundledEncoder:
    """multilingual-e5-small as int8 ONNX, one CPU thread for each text.

    Texts run one by one, without padding: activations are scaled over all that runs together, so that in a batch the
    components of a vector would shift by up to 0.02 with its neighbours. One by one, a text has one vector.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Load the model.

        Args:
            folder: where `encoder.onnx` and `tokenizer.json` are; the bundled model without it.

        Raises:
            EncoderError: a file is missing or damaged.
        """
        import onnxruntime as ort  # type: ignore[import-untyped]
        from tokenizers import Tokenizer

        folder = folder or model_folder()
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3  # a damaged file is reported once, by the error below
        # Memory that is kept for the longest text seen would be kept for each thread.
        options.enable_cpu_mem_arena = False
        self._name = _bundled_name(folder)
        weights, vocabulary = (str(folder / name) for name in _FILES)
        try:
            # By their paths: bytes in memory would be a copy of the whole model.
            self._session = ort.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
            self._dimension = int(self._session.get_outputs()[0].shape[1])
            self._tokenizer = Tokenizer.from_file(vocabulary)
        except Exception as error:  # both libraries raise their own direct subclasses of it
            raise EncoderError(f"The bundled model in {folder} is damaged: {_REMEDY}.") from error
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._queries: Recent[str, NDArray[np.float32]] = Recent(CACHED_QUERIES)

    @property
    def name(self) -> str:
        """Hash of both model files."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._dimension

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """Embed texts -> (len(texts), dimension) float32, rows of length 1; the last queries come from a cache."""
        clean = [clipped(text) for text in texts]
        embed = self._query if role is Role.QUERY else self._embed_passage
        if len(clean) > 1:  # an index is being built: a core for each text
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                rows = list(pool.map(embed, clean))
        else:
            rows = [embed(text) for text in clean]
        return np.stack(rows) if rows else np.empty((0, self._dimension), np.float32)

    def _embed_passage(self, text: str) -> NDArray[np.float32]:
        """Embed a passage -> (dimension,)."""
        return self._embed(Role.PASSAGE.prefix + text)

    def _query(self, text: str) -> NDArray[np.float32]:
        """Embed a query through the cache -> (dimension,)."""
        return self._queries.get(text, lambda: self._embed(Role.QUERY.prefix + text, MAX_QUERY_TOKENS))

    def _embed(self, text: str, most: int = MAX_TOKENS) -> NDArray[np.float32]:
        """Run the model on the first tokens of a text and its end token -> (dimension,)."""
        tokens = self._tokenizer.encode(text).ids
        if len(tokens) > most:
            tokens = [*tokens[: most - 1], tokens[-1]]
        ids = np.array([tokens], np.int64)  # (1, tokens)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        vector: NDArray[np.float32] = self._session.run(["embedding"], feed)[0][0]
        return vector


class SentenceTransformersEncoder:
    """Any sentence-transformers model, on the CPU."""

    def __init__(self, model: str) -> None:
        """Load a model.

        Args:
            model: name on the model hub, or folder.

        Raises:
            EncoderError: sentence-transformers is not installed, or there is no such model.
        """
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise EncoderError("ERRDEX_MODEL needs another package: pip install 'errdex[models]'.") from error
        try:
            # a pickled checkpoint could run code
            self._model = SentenceTransformer(model, device="cpu", model_kwargs={"use_safetensors": True})
        except Exception as error:  # each file format and the hub raise errors of their own
            raise EncoderError(
                f"ERRDEX_MODEL={model} cannot be loaded: give a sentence-transformers name or folder with weights in "
                "safetensors, or leave it unset to use the bundled model."
            ) from error
        own = self._model.prompts
        prompts = {Role.QUERY: own.get("query"), Role.PASSAGE: own.get("passage") or own.get("document")}
        is_e5 = "e5" in Path(model).name.lower()
        self._prompts = {role: prompt or (role.prefix if is_e5 else "") for role, prompt in prompts.items()}
        self._name = f"sentence-transformers:{model}"
        self._lock = Lock()
        self._dimension = len(self._model.encode("error", show_progress_bar=False))

    @property
    def name(self) -> str:
        """Name or folder as it was given."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._dimension

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """Embed texts -> (len(texts), dimension) float32, rows of length 1."""
        if not texts:
            return np.empty((0, self._dimension), np.float32)
        with self._lock:  # the tokenizer sets its padding on each call, which threads may not share
            clean = [clipped(text) for text in texts]
            vectors = self._model.encode(clean, prompt=self._prompts[role], normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, np.float32)
