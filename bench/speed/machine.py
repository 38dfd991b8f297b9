"""What the machine was and did while it measured."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from errdex.speed import Machine

_LIBRARIES = (
    "fastapi", "uvicorn", "uvloop", "httptools", "pydantic", "onnxruntime", "tokenizers", "faiss-cpu", "bm25s", "google-re2",
    "numpy", "torch", "sentence-transformers", "txtai",
)  # fmt: skip


def _ticks() -> list[int]:
    """Time of all processors by use, in ticks; empty where the system does not tell."""
    try:
        return [int(part) for part in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
    except OSError:
        return []


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _versions() -> dict[str, str]:
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


class Watch:
    """Compares the beginning of a run with its end."""

    def __init__(self) -> None:
        self._load = os.getloadavg()[0]
        self._ticks = _ticks()
        self._own = sum(os.times()[:4])

    def finish(self) -> Machine:
        """What happened since; call it when the servers have been stopped, for their time counts as the run's own."""
        spent = [after - before for before, after in zip(self._ticks, _ticks(), strict=True)]
        total = sum(spent) or 1
        user, nice, system, _idle, _wait, irq, soft_irq, steal = spent or [0] * 8
        own = (sum(os.times()[:4]) - self._own) * os.sysconf("SC_CLK_TCK")
        return Machine(
            cpu=_cpu(),
            cores=os.cpu_count() or 1,
            python=platform.python_version(),
            libraries=_versions(),
            load_before=self._load,
            load_after=os.getloadavg()[0],
            steal=steal / total,
            busy_elsewhere=max(0.0, (user + nice + system + irq + soft_irq - own) / total),
        )
