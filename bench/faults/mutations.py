"""Ways in which the files of an index can be damaged: by a disk, by a copy that was cut off, by a hand, or on purpose."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

from errdex.manifest import MANIFEST_FILE, version_name
from errdex.versions import CURRENT

Mutation = Callable[[Path, Path, Random], None]  # of the root, the current version's folder, and chance


def _any_file(root: Path, version: Path, random: Random) -> Path:
    return random.choice([*sorted(version.iterdir()), root / CURRENT])


def flip_bits(root: Path, version: Path, random: Random) -> None:
    """One to eight bits of any file."""
    path = _any_file(root, version, random)
    data = bytearray(path.read_bytes())
    for position in random.sample(range(len(data)), k=random.randint(1, 8)):
        data[position] ^= 1 << random.randrange(8)
    path.write_bytes(data)


def cut(root: Path, version: Path, random: Random) -> None:
    """The end of a file is missing."""
    path = _any_file(root, version, random)
    data = path.read_bytes()
    path.write_bytes(data[: random.randrange(len(data))])


def extend(root: Path, version: Path, random: Random) -> None:
    """Something stands behind a file's end; in the pointer it is never a space."""
    path = _any_file(root, version, random)
    path.write_bytes(path.read_bytes() + bytes(random.randrange(33, 256) for _ in range(random.randint(1, 300))))


def zero_page(root: Path, version: Path, random: Random) -> None:
    """A block of the disk reads as zeros."""
    path = _any_file(root, version, random)
    data = bytearray(path.read_bytes())
    start = random.randrange(0, len(data), 4096)
    end = min(start + 4096, len(data))
    data[start:end] = bytes(end - start)
    path.write_bytes(data)


def edit_header(root: Path, version: Path, random: Random) -> None:
    """Shape, type or opening of a file is another one."""
    path = random.choice(sorted(version.iterdir()))
    data = bytearray(path.read_bytes())
    for position in range(random.randrange(64), min(random.randrange(64, 128), len(data))):
        data[position] = random.randrange(256)
    path.write_bytes(data)


def swap_files(root: Path, version: Path, random: Random) -> None:
    """Two files have each other's content."""
    one, two = random.sample(sorted(version.iterdir()), k=2)
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first if first != second else first + b"\n")


def mix_versions(root: Path, version: Path, random: Random) -> None:
    """The manifest is that of the other version."""
    other = next(path for path in root.glob("v-*") if path != version)
    (version / MANIFEST_FILE).write_bytes((other / MANIFEST_FILE).read_bytes())


def rename_file(root: Path, version: Path, random: Random) -> None:
    """A file has another name."""
    path = random.choice(sorted(version.iterdir()))
    path.rename(version / f"{random.randrange(1 << 30):x}{path.name}")


def rename_version(root: Path, version: Path, random: Random) -> None:
    """The folder has another name, which the pointer follows."""
    name = f"v-{random.randrange(1 << 256):064x}"
    version.rename(root / name)
    (root / CURRENT).write_text(name, encoding="utf-8")


def edit_manifest(root: Path, version: Path, random: Random) -> None:
    """A file is changed, and its record with it; the folder keeps its name."""
    path = version / MANIFEST_FILE
    manifest = json.loads(path.read_bytes())
    name = random.choice(sorted(manifest["files"]))
    match random.randrange(5):
        case 0:
            manifest["files"][name]["sha256"] = f"{random.randrange(1 << 256):064x}"
        case 1:
            manifest["files"][name]["size"] = random.choice([0, 1 << 40, -1, 10**30])
        case 2:
            manifest["files"]["../" + name] = manifest["files"].pop(name)
        case 3:
            manifest[random.choice(sorted(manifest))] = random.choice([None, -1, 10**30, [], "x", {}])
        case _:
            record(version, name, (version / name).read_bytes()[:-1])
            return
    path.write_text(json.dumps(manifest), encoding="utf-8")


def edit_pointer(root: Path, version: Path, random: Random) -> None:
    """The pointer says something else."""
    other = random.choice(
        [
            "",
            "..",
            "../" + version.name,
            str(version),
            version.name.upper(),
            f"./{version.name}",
            "v-",
            version.name + "/",
            "\x00",
        ]
    )
    (root / CURRENT).write_text(other, encoding="utf-8")


def point_back(root: Path, version: Path, random: Random) -> None:
    """The pointer names the other version, which is whole, or this one with space around it."""
    names = [path.name for path in sorted(root.glob("v-*"))]
    (root / CURRENT).write_text(random.choice(["", " ", "\n"]) + random.choice(names) + "\n", encoding="utf-8")


def link(root: Path, version: Path, random: Random) -> None:
    """A file or the folder is a link, to an equal one or to what never ends."""
    path = random.choice([*sorted(version.iterdir()), root / CURRENT, version])
    aside = root / ".aside"
    path.rename(aside)
    path.symlink_to(random.choice([aside, aside, Path("/dev/zero"), Path("/dev/stdin"), path]))


def not_a_file(root: Path, version: Path, random: Random) -> None:
    """There is a folder or a pipe where a file should be."""
    path = _any_file(root, version, random)
    path.unlink()
    if random.random() < 0.5:
        path.mkdir()
    else:
        os.mkfifo(path)


def stray_file(root: Path, version: Path, random: Random) -> None:
    """There is one file, folder or link too many."""
    path = version / random.choice([".hidden", "extra.npy", "manifest.json.bak", "..data", "entries.json "])
    if random.random() < 0.5:
        path.write_bytes(random.randbytes(10))
    else:
        path.mkdir()


def remove_file(root: Path, version: Path, random: Random) -> None:
    """A file is gone."""
    _any_file(root, version, random).unlink()


def record(version: Path, name: str, data: bytes) -> None:
    """Change a file and what the manifest says of it."""
    from errdex.manifest import FileRecord

    (version / name).write_bytes(data)
    manifest = json.loads((version / MANIFEST_FILE).read_bytes())
    manifest["files"][name] = FileRecord.of(data).model_dump()
    (version / MANIFEST_FILE).write_text(json.dumps(manifest), encoding="utf-8")


def forge(root: Path, version: Path, random: Random) -> None:
    """A file is wrong, and manifest, name and pointer agree with it: it must not crash what reads it."""
    name = random.choice([path.name for path in sorted(version.iterdir()) if path.name != MANIFEST_FILE])
    data = bytearray((version / name).read_bytes())
    at = random.randrange(len(data))
    match random.randrange(4):
        case 0:
            data[at] ^= 1 << random.randrange(8)
        case 1:
            data[at : at + 8] = random.choice([b"\xff" * 8, b"\x00" * 8, b"\x7f" * 8, b"[[[[[[[[", b"-1,-1,-1"])
        case 2:
            del data[at:]
        case _:
            data[min(at, 127)] ^= 1 << random.randrange(8)
    record(version, name, bytes(data))
    forged = version_name((version / MANIFEST_FILE).read_bytes())
    version.rename(root / forged)
    (root / CURRENT).write_text(forged, encoding="utf-8")


REFUSED: tuple[Mutation, ...] = (
    *(flip_bits, cut, extend, zero_page, edit_header, swap_files, mix_versions, rename_file, rename_version),
    *(edit_manifest, edit_pointer, link, not_a_file, stray_file, remove_file),
)
WHOLE: tuple[Mutation, ...] = (point_back,)  # no damage: one of the two versions is served
FORGED: tuple[Mutation, ...] = (forge,)
