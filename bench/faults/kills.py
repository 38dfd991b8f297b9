"""Kills, or fails, the writing of an index at each of its system calls: the old index or the new one is there, whole.

    python -m bench.faults.kills

Two ways: strace acts on the system calls themselves; without it, the functions of `os` are wrapped, which also tears a
write in the middle. A process that has loaded everything forks one child for each call, so that none starts from nothing.
"""

import argparse
import errno
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.faults.samples import edition
from errdex.encoder import load_encoder
from errdex.errors import IndexWriteError
from errdex.index import Index, load_index, save_index

# strace counts each system call by itself. `?`: not every architecture has it.
SYSTEM_CALLS = (
    *("?mkdir", "?mkdirat", "?open", "openat", "write", "fsync", "?rename", "?renameat", "?renameat2", "?unlink", "unlinkat"),
    *("?rmdir", "flock", "?getdents64", "?lstat", "?stat", "?newfstatat", "close"),
)
WRAPPED = ("mkdir", "open", "write", "fsync", "rename", "replace", "unlink", "rmdir", "scandir", "listdir")
ACTIONS = ("KILL", "ENOSPC", "EIO", "EACCES")
WAYS = ("strace", "wrapped")
_TOLD = 7  # exit status of a child that got the clear error
_MOST_CALLS = 2000


@dataclass
class Tally:
    """What came of one action by one way."""

    calls: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    restart_seconds: float = 0.0


def strace_works() -> bool:
    """Whether strace is there and may attach to a process."""
    if shutil.which("strace") is None:
        return False
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        tracer = _attached(sleeper.pid, "KILL", "write", 1)
        if tracer is not None:
            _end(tracer, tracer.terminate)
        return tracer is not None
    finally:
        sleeper.kill()
        sleeper.wait()


def _attached(pid: int, action: str, name: str, call: int) -> "subprocess.Popen[str] | None":
    """A running strace that holds this process; None if it may not."""
    effect = "signal=KILL" if action == "KILL" else f"error={action}"
    command = ["strace", "-p", str(pid), "-o", os.devnull, "-e", f"trace={name}"]
    tracer = subprocess.Popen(
        [*command, "-e", f"inject={name}:{effect}:when={call}"], stderr=subprocess.PIPE, text=True, bufsize=1
    )
    assert tracer.stderr is not None
    ready, _, _ = select.select([tracer.stderr], [], [], 10)
    said = tracer.stderr.readline() if ready else ""
    if "attached" in said:
        return tracer
    _end(tracer, tracer.kill)
    return None


def _end(tracer: "subprocess.Popen[str]", tell: Callable[[], None]) -> None:
    """Stop strace, and close what it is heard through."""
    tell()
    tracer.wait()
    if tracer.stderr is not None:
        tracer.stderr.close()


def _wrap(action: str, call: int) -> None:
    """Let the `call`-th function of `os` that writes kill this process, or fail."""
    left = call

    def acting(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  it stands for any of them
            nonlocal left
            left -= 1
            if left == 0 and action == "KILL":
                if name == "write":  # torn in the middle
                    function(args[0], args[1][: len(args[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            if left == 0:
                number = getattr(errno, action)
                raise OSError(number, os.strerror(number))
            return function(*args, **kwargs)

        return wrapper

    for name in WRAPPED:
        setattr(os, name, acting(getattr(os, name), name))


def _child(index: Index, root: Path, action: str, name: str | None, call: int) -> int:
    """Save an index in a process that something happens to; its wait status."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(read, 1)
        try:
            if name is None:
                _wrap(action, call)
            save_index(index, root)
        except IndexWriteError:
            os._exit(_TOLD)
        except BaseException:  # noqa: BLE001  whatever it is, it is what the run is there to find
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    tracer = _attached(child, action, name, call) if name else None
    os.write(write, b"g")
    status = os.waitpid(child, 0)[1]
    if tracer is not None:
        tracer.wait(10)
        assert tracer.stderr is not None
        tracer.stderr.close()
    os.close(read)
    os.close(write)
    return status


def _same(one: Index, two: Index) -> bool:
    entries = [[entry.model_dump(exclude={"samples"}) for entry in index.entries] for index in (one, two)]
    return one.manifest.content == two.manifest.content and entries[0] == entries[1] and one.texts == two.texts


def run(way: str, action: str, old: Index, new: Index, scratch: Path, step: int = 1) -> Tally:
    """Let something happen at every `step`-th call, until a call comes that is no longer reached.

    Args:
        way: `strace`, which counts each system call by itself, or `wrapped`, which counts them together.
        action: one of `ACTIONS`.
        old: what is there before.
        new: what is saved meanwhile.
        scratch: an empty folder.
        step: 1 for every call.
    """
    tally = Tally()
    save_index(old, scratch / "pristine")
    for name in SYSTEM_CALLS if way == "strace" else (None,):
        for call in range(1, _MOST_CALLS, step):
            root = scratch / "root"
            shutil.copytree(scratch / "pristine", root)
            status = _child(new, root, action, name, call)
            start = time.perf_counter()
            loaded = load_index(root)
            tally.restart_seconds = max(tally.restart_seconds, time.perf_counter() - start)
            tally.outcomes[_judged(status, loaded, old, new, root, action)] += 1
            tally.calls += 1
            shutil.rmtree(root)
            if status == 0 and (action == "KILL" or _is_past_the_end(new, scratch, name, call)):
                break
        else:
            tally.outcomes["no end"] += 1
    return tally


def _is_past_the_end(new: Index, scratch: Path, name: str | None, call: int) -> bool:
    """Whether no call of this number is made: an error in a mere clean-up, too, ends with status 0."""
    shutil.copytree(scratch / "pristine", scratch / "end")
    status = _child(new, scratch / "end", "KILL", name, call)
    shutil.rmtree(scratch / "end")
    return status == 0


def _judged(status: int, loaded: Index, old: Index, new: Index, root: Path, action: str) -> str:
    """What is there now, after the next writer has been; anything but old, new and error is a fault."""
    is_new, killed = _same(loaded, new), os.WIFSIGNALED(status)
    if not is_new and not (_same(loaded, old) and len(loaded.entries) == len(old.entries)):
        return "a mixture"
    if killed != (action == "KILL") and status != 0:
        return f"ended by {status}"
    if not killed and os.WEXITSTATUS(status) not in (0, _TOLD):
        return "another error"
    if status == 0 and not is_new:
        return "success without an index"
    save_index(new, root)
    left = [path.name for path in root.iterdir() if path.name.startswith((".building-", ".current-"))]
    if left or len(list(root.glob("v-*"))) > 2 or not _same(load_index(root), new):
        return "not cleaned up"
    return ("new" if is_new else "old") + (", told" if os.WIFEXITED(status) and status else "")


ALLOWED = frozenset({"old", "new", "old, told", "new, told"})


def everything(step: int, actions: Sequence[str], ways: Sequence[str]) -> dict[str, Any]:
    """Run actions by those ways that work here.

    Returns:
        By way and action: calls, outcomes and the longest restart; `wrong` counts what must not be.
    """
    encoder = load_encoder(None)
    old, new = edition(1, encoder), edition(2, encoder)
    working = [way for way in ways if way != "strace" or strace_works()]
    figures: dict[str, Any] = {}
    wrong = 0
    for way in working:
        for action in actions:
            with tempfile.TemporaryDirectory() as scratch:
                tally = run(way, action, old, new, Path(scratch), step)
            wrong += sum(count for outcome, count in tally.outcomes.items() if outcome not in ALLOWED)
            figures[f"{way} {action}"] = {
                "calls": tally.calls,
                "outcomes": dict(tally.outcomes),
                "restart_seconds_max": round(tally.restart_seconds, 3),
            }
    return {"wrong": wrong, "ways": working, **figures}


def main() -> None:
    """Print the figures as JSON; status 1 when anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--actions", nargs="+", choices=ACTIONS, default=ACTIONS)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    given = parser.parse_args()
    figures = everything(given.step, given.actions, given.ways)
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    sys.exit(1 if figures["wrong"] else 0)


if __name__ == "__main__":
    main()
