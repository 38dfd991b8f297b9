"""A whole run of the benchmark as a file that the site shows."""

import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path

from errdex import __version__
from errdex.benchmark import measure
from errdex.catalog import load_catalog
from errdex.encoder import load_encoder
from errdex.fit import held_out_curves
from errdex.ranking import load_coefficients
from errdex.scores import Scores
from errdex.settings import Settings

# What the figures hang on.
_LIBRARIES = ("bm25s", "faiss-cpu", "google-re2", "numpy", "onnxruntime", "scikit-learn", "tokenizers")


def publish_scores(settings: Settings, path: Path, today: date) -> Scores:
    """Measure everything but speed, and write it down.

    Args:
        settings: where the knowledge is, and which model.
        path: the file, replaced as a whole.
        today: the day to write into it.

    Raises:
        ErrdexError: the labelled reports are not there.
    """
    current = load_coefficients()
    scores = Scores(
        date=today,
        errdex=__version__,
        entries=len(load_catalog(settings.kb).active),
        python=platform.python_version(),
        encoder=load_encoder(settings.encoder).name,
        libraries={name: version(name) for name in _LIBRARIES},
        match=current.match,
        candidates=current.candidates,
        figures=measure(settings),
        curves=held_out_curves(settings),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(scores.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return scores
