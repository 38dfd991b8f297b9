"""Runs scripts one after the other, each in a fresh child that starts warm, is fenced in and is cleaned up after.

`Sandbox` starts a second Python that imports the heavy libraries once and then forks for each script (`serve`).
It does so while `site` is imported, before Python turns to the script on its command line. A child returns from there,
and what follows is Python's own start of `python main.py`: output, traceback and exit status are the same by nature.
"""

import ctypes
import fcntl
import importlib
import json
import os
import resource
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Self

Stopped = Literal["time", "memory", "output"]

_POLL = 0.05  # seconds between two looks at memory and clock
_GRACE = 2.0  # seconds that helpers of a script may live on after it, to say their last words
_PR_SET_CHILD_SUBREAPER = 36
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_CLONE_NEWNET = 0x40000000
_PAGE = os.sysconf("SC_PAGE_SIZE")
_KEPT = ("LD_LIBRARY_PATH", "CUDA_HOME", "VIRTUAL_ENV", "PYTHONPATH")
_SITE = """import sys
sys.path.insert(0, {package!r})
from errdex.sandbox import serve
sys.path.remove({package!r})
sys.path.remove({boot!r})
serve({control}, {root!r}, {preload!r})
"""
_FOLDERS = ("home", "tmp", "work", "script")
_OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}


@dataclass(frozen=True)
class Limits:
    """What one script may use: seconds on the clock, bytes of memory, bytes of output."""

    seconds: float = 120.0
    memory: int = 4 << 30
    output: int = 1 << 20


@dataclass(frozen=True)
class Ran:
    """What one script did.

    Attributes:
        status: exit status; negative for the signal that ended it.
        output: stdout and stderr as they came.
        stopped: the limit that it broke, if it was stopped.
        seconds: time on the clock.
    """

    status: int
    output: str
    stopped: Stopped | None
    seconds: float


class SandboxError(Exception):
    """The warm process died; holds its last words."""


class Sandbox:
    """A warm process that runs scripts; a context manager.

    Args:
        preload: modules to import once, before any script.
        limits: what each script may use.
    """

    def __init__(self, preload: Sequence[str] = (), limits: Limits | None = None) -> None:
        self._preload = list(preload)
        self._limits = limits or Limits()

    def __enter__(self) -> Self:
        self._root = Path(tempfile.mkdtemp(prefix="errdex-"))
        for name in _FOLDERS:
            (self._root / name).mkdir()
        ours, theirs = socket.socketpair()
        with (self._root / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, self._root / "script" / "main.py"],
                cwd=self._root / "work",
                env=_environment(self._root) | {"PYTHONPATH": self._boot_folder(theirs.fileno())},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C reaches us alone; we end it by hanging up
            )
        theirs.close()
        self._line = ours.makefile("rw", encoding="utf-8")
        ours.close()
        return self

    def _boot_folder(self, control: int) -> str:
        """A folder that makes Python call `serve` when it starts; the search path with it in front."""
        boot = self._root / "boot"
        boot.mkdir()
        code = _SITE.format(
            package=str(Path(__file__).resolve().parents[1]),
            boot=str(boot),
            control=control,
            root=str(self._root),
            preload=self._preload,
        )
        (boot / "sitecustomize.py").write_text(code, encoding="utf-8")
        return os.pathsep.join(filter(None, [str(boot), os.environ.get("PYTHONPATH")]))

    def __exit__(self, *_: object) -> None:
        self._line.close()
        self._process.wait()
        shutil.rmtree(self._root, ignore_errors=True)

    def run(self, script: Path, environment: Mapping[str, str] | None = None, *, warm: bool = True) -> Ran:
        """Run one script in an empty folder.

        Args:
            script: the script; a copy is run.
            environment: variables beside the few that every script gets.
            warm: fork; otherwise start a plain `python`.

        Raises:
            SandboxError: the warm process died.
        """
        request = {
            "script": str(script.resolve()),
            "environment": dict(environment or {}),
            "warm": warm,
            "limits": asdict(self._limits),
        }
        try:
            self._line.write(json.dumps(request) + "\n")
            self._line.flush()
            reply = self._line.readline()
        except OSError:
            reply = ""
        if not reply:
            raise SandboxError((self._root / "log").read_text(errors="replace")[-2000:] or "the warm process died")
        return Ran(**json.loads(reply))


def _environment(root: Path) -> dict[str, str]:
    """What every script finds in its environment."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    fixed = {"LANG": "C.UTF-8", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    # `torchrun` and `accelerate` stand beside this very Python.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    return kept | fixed | {"PATH": path, "HOME": str(root / "home"), "TMPDIR": str(root / "tmp")}


def serve(control_fd: int, root: str, preload: Sequence[str]) -> None:
    """The warm process: import, then run one script per request until the other side hangs up.

    Returns only in a child, for Python to go on with the script.

    Args:
        control_fd: inherited socket that requests come from.
        root: folder for everything that scripts write.
        preload: modules to import.
    """
    try:
        control = socket.socket(fileno=control_fd)
        control.set_inheritable(False)
        _settle(Path(root), preload)
        if _serve_until_forked(Path(root), control):
            return
        shutil.rmtree(root, ignore_errors=True)  # whoever hung up may not live to do it
        os._exit(0)
    except BaseException:  # noqa: BLE001 - whatever it is, Python must not go on to run a script in this process
        traceback.print_exc()
        os._exit(1)


def _settle(root: Path, preload: Sequence[str]) -> None:
    """Fence this process in, then import."""
    if not _leave_network():
        os.environ |= _OFFLINE
    if sys.platform == "linux":
        # Orphans of a script become our children, and so they can be found and ended.
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _drop_from_search_path(root / "boot")
    for name in preload:
        importlib.import_module(name)


def _serve_until_forked(root: Path, control: socket.socket) -> bool:
    """Answer requests; True in a child that has become ready for its script, False when the other side hung up."""
    line = control.makefile("rw", encoding="utf-8")
    while request := line.readline():
        wanted = json.loads(request)
        script = _prepare(root, Path(wanted["script"]))
        read_end, write_end = os.pipe()
        child = os.fork()
        if child == 0:
            line.close()
            control.close()
            os.close(read_end)
            _become(script, write_end, wanted)
            return True
        os.close(write_end)
        ran = _supervise(child, read_end, control, Limits(**wanted["limits"]))
        os.close(read_end)
        if ran is None:
            return False
        line.write(json.dumps(asdict(ran)) + "\n")
        line.flush()
    return False


def _drop_from_search_path(boot: Path) -> None:
    """Python started by a script must not serve."""
    rest = [part for part in os.environ["PYTHONPATH"].split(os.pathsep) if part != str(boot)]
    os.environ.pop("PYTHONPATH")
    if rest:
        os.environ["PYTHONPATH"] = os.pathsep.join(rest)


def _leave_network() -> bool:
    """Move into a network of our own that has nothing but loopback; False where the kernel does not let us."""
    if sys.platform != "linux" or os.geteuid() != 0 or ctypes.CDLL(None).unshare(_CLONE_NEWNET) != 0:
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        name = struct.pack("16sh", b"lo", 0)
        flags: int = struct.unpack("16sh", fcntl.ioctl(probe, _SIOCGIFFLAGS, name))[1]
        fcntl.ioctl(probe, _SIOCSIFFLAGS, struct.pack("16sh", b"lo", flags | _IFF_UP))
    return True


def _prepare(root: Path, script: Path) -> Path:
    """Empty the folders that the last script may have filled; put a copy of this one into its own."""
    for name in _FOLDERS:
        shutil.rmtree(root / name, ignore_errors=True)
        (root / name).mkdir()
    return Path(shutil.copy(script, root / "script" / "main.py"))


def _become(script: Path, output: int, wanted: Mapping[str, Any]) -> None:
    """In the child: a session, files and an environment of its own; a plain `python` where one is wanted."""
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(script.parent.parent / "work")
    os.environ |= wanted["environment"]
    if not wanted["warm"]:
        os.execv(sys.executable, [sys.executable, str(script)])


def _supervise(child: int, output: int, control: socket.socket, limits: Limits) -> Ran | None:
    """Read what the child says until it and its helpers are gone or a limit is broken; None when nobody waits for it."""
    started = time.monotonic()
    deadline = started + limits.seconds
    said = bytearray()
    status: int | None = None
    stopped: Stopped | None = None
    open_ends: list[int | socket.socket] = [output, control]
    while status is None or output in open_ends:
        ready = select.select(open_ends, [], [], _POLL)[0]
        if control in ready:  # between a request and its answer this is the end of the connection
            _end_all(child if status is None else None)
            return None
        if output in ready:
            piece = os.read(output, 1 << 16)
            said += piece
            open_ends = open_ends if piece else [control]
        if broken := _broken_limit(said, deadline, limits):
            # Once the script has ended, it is only the patience with its helpers that runs out.
            stopped = broken if status is None or broken == "output" else None
            break
        if status is None and (status := _ended(child)) is not None:
            deadline = min(deadline, time.monotonic() + _GRACE)
    _end_all(child if status is None else None)
    text = bytes(said[: limits.output]).decode("utf-8", "replace")
    seconds = round(time.monotonic() - started, 3)
    return Ran(-signal.SIGKILL if status is None else status, text, stopped, seconds)


def _broken_limit(said: bytearray, deadline: float, limits: Limits) -> Stopped | None:
    if time.monotonic() > deadline:
        return "time"
    if len(said) > limits.output:
        return "output"
    return "memory" if sum(map(_own_memory, _descendants(os.getpid()))) > limits.memory else None


def _ended(child: int) -> int | None:
    pid, raw = os.waitpid(child, os.WNOHANG)
    return os.waitstatus_to_exitcode(raw) if pid else None


def _end_all(child: int | None) -> None:
    """Kill the script, if it still runs, and whatever it left, helpers in sessions of their own included."""
    if child is not None:
        with suppress(ProcessLookupError):  # it has no session yet when it has only just been forked
            os.killpg(child, signal.SIGKILL)
        os.kill(child, signal.SIGKILL)
    while True:
        for pid in _descendants(os.getpid()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _descendants(pid: int) -> Iterator[int]:
    """Children of a process and theirs; none where there is no Linux /proc."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return  # ended meanwhile
    for child in children:
        yield child
        yield from _descendants(child)


def _own_memory(pid: int) -> int:
    """Resident bytes of a process that no file backs."""
    try:
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return 0
    return (int(resident) - int(shared)) * _PAGE
