"""Old releases of libraries, fetched beside the installed ones: some errors were removed, and still have to be shown."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

PREFIX = "old:"


def only_old(needs: Sequence[str]) -> bool:
    """Whether all that an entry's scripts need is old releases (`old:accelerate==0.33.0`)."""
    return bool(needs) and all(need.startswith(PREFIX) for need in needs)


def release_folder(need: str, cache: Path) -> Path | None:
    """Folder to put in front of Python's search path for an old release; None where it cannot be had.

    Only a wheel of pure Python is taken, without its dependencies: the installed ones must do. A compiled library
    (torch) would bring its own world, which is not worth gigabytes for a proof.

    Args:
        need: `old:` and a pinned requirement.
        cache: folder that keeps what was fetched.
    """
    requirement = need.removeprefix(PREFIX)
    folder = cache / requirement
    if not folder.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as fetched:
            target = Path(fetched) / "release"
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            pure = ["--only-binary=:all:", "--platform=any", f"--target={target}", requirement]
            if subprocess.run([*pip, *pure], check=False, capture_output=True).returncode != 0:
                return None
            target.rename(folder)
    return folder
