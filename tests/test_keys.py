import hashlib
import os
import re
import stat
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest

from errdex.errors import KeysError, UnknownKeyError
from errdex.keys import Key, KeyRing, Role, changing_keys, hashed, is_whole, new_secret, read_keys, write_keys
from tests.conftest import ROOT

TODAY = date(2026, 12, 2)


def key(name: str, secret: str | None = None, role: Role = Role.READ, **more: object) -> Key:
    row = {"name": name, "role": role, "sha256": hashed(secret or new_secret()).hex(), "created": TODAY}
    return Key.model_validate(row | more)


def test_a_key_is_long_random_and_says_whose_it_is() -> None:
    made = {new_secret() for _ in range(1000)}
    assert len(made) == 1000
    assert all(re.fullmatch(r"edx_[0-9A-Za-z]{33}", secret) for secret in made)
    assert 62**27 > 2**160


def test_every_typo_is_told_from_a_key_that_is_not_known() -> None:
    secret = new_secret()
    assert is_whole(secret)
    for place in range(len(secret)):
        for other in ("x" if secret[place] != "x" else "y", "", "é"):
            assert not is_whole(secret[:place] + other + secret[place + 1 :])
        if place + 1 < len(secret) and secret[place] != secret[place + 1]:
            assert not is_whole(secret[:place] + secret[place + 1] + secret[place] + secret[place + 2 :])
    assert not is_whole("")
    assert not is_whole(secret + secret)


def test_a_ring_finds_each_key_and_no_other() -> None:
    made = {f"k{number}": new_secret() for number in range(5)}
    ring = KeyRing(key(name, secret) for name, secret in made.items())
    assert [ring.find(secret, TODAY).name for secret in made.values()] == list(made)
    with pytest.raises(UnknownKeyError, match="not known"):
        ring.find(new_secret(), TODAY)
    with pytest.raises(UnknownKeyError, match="mistyped"):
        ring.find(made["k1"][:-1], TODAY)


def test_every_key_is_compared_whatever_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bytes] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append(other)
        return one == other

    monkeypatch.setattr("errdex.keys.hmac.compare_digest", compare)
    secret = new_secret()
    ring = KeyRing([key("first", secret), key("second"), key("third")])
    assert ring.find(secret, TODAY).name == "first"
    assert compared == [hashlib.sha256(secret.encode()).digest()] * 3


def test_a_key_works_through_its_last_day() -> None:
    secret = new_secret()
    ring = KeyRing([key("short", secret, expires=TODAY)])
    assert ring.find(secret, TODAY).name == "short"
    with pytest.raises(UnknownKeyError, match="expired on 2026-12-02"):
        ring.find(secret, TODAY + timedelta(days=1))


@pytest.mark.parametrize(
    ("role", "allowed"),
    [(Role.READ, {Role.READ}), (Role.CURATE, {Role.READ, Role.CURATE}), (Role.ADMIN, set(Role))],
)
def test_each_role_includes_those_before_it(role: Role, allowed: set[Role]) -> None:
    assert {needed for needed in Role if role.allows(needed)} == allowed


def test_the_file_holds_hashes_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path, secret = tmp_path / "folder" / "keys.toml", new_secret()
    rows = [key("ci", secret, Role.CURATE, expires=TODAY, rate="5/second"), key("other")]
    write_keys(path, rows)
    assert read_keys(path) == tuple(rows)
    text = path.read_text(encoding="utf-8")
    assert secret not in text
    assert secret[4:20] not in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [found.name for found in path.parent.iterdir()] == ["keys.toml"]


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "keys.toml"
    write_keys(path, [key("ci")])
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(KeysError, match="No space left"):
        write_keys(path, [])
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_to_the_file_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "keys.toml", tmp_path / "link.toml"
    write_keys(path, [])
    link.symlink_to(path)
    write_keys(link, [key("ci")])
    assert link.is_symlink()
    assert [found.name for found in read_keys(path)] == ["ci"]


ROW = '[[key]]\nname = "ci"\nrole = "read"\nsha256 = "{}"\ncreated = 2026-12-02\n'.format("a" * 64)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[key]\n", "is not a file of keys"),
        ('key = "all"', "key: Input should be a valid list"),
        (ROW.replace("read", "root"), "key.0.role"),
        (ROW.replace("a" * 64, "a" * 63), "key.0.sha256"),
        (ROW.replace("ci", "two words"), "key.0.name"),
        (ROW + 'rate = "many"\n', "key.0.rate"),
        (ROW + 'secret = "x"\n', "key.0.secret"),
        (ROW + ROW, "same name twice"),
        (ROW + ROW.replace("ci", "other"), "same hash twice"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "keys.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(KeysError, match=re.escape(said)) as refused:
        read_keys(path)
    assert "a" * 60 not in refused.value.detail


def test_no_file_is_no_keys_and_a_folder_is_an_error(tmp_path: Path) -> None:
    assert read_keys(tmp_path / "none.toml") == ()
    with pytest.raises(KeysError, match="cannot be read"):
        read_keys(tmp_path)


def errdex(path: Path | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ERRDEX_")}
    environment = kept | {"PYTHONPATH": str(ROOT / "api"), "COLUMNS": "120", "NO_COLOR": "1"}
    if path:
        environment["ERRDEX_KEYS"] = str(path)
    command = [sys.executable, "-m", "errdex", "keys", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)


def test_the_command_line_makes_lists_and_revokes(tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    made = errdex(path, "add", "ci", "--role", "curate", "--expires", "2030-01-31", "--rate", "600/minute")
    secret = made.stdout.strip()
    assert (made.returncode, is_whole(secret)) == (0, True), made.stderr
    assert secret not in made.stderr
    found = KeyRing(read_keys(path)).find(secret, TODAY)
    assert (found.role, found.expires, found.rate) == (Role.CURATE, date(2030, 1, 31), "600/minute")
    again = errdex(path, "add", "ci")
    assert (again.returncode, again.stdout) == (2, "")
    assert "revoke it first" in again.stderr
    listed = errdex(path, "list").stdout
    assert all(part in listed for part in ("ci", "curate", "2030-01-31", "600/minute"))
    assert found.sha256 not in listed
    assert errdex(path, "revoke", "ci").returncode == 0
    assert read_keys(path) == ()
    assert "no key named ci" in errdex(path, "revoke", "ci").stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("add", "two words"), "The name is not"), (("add", "ci", "--rate", "many"), "The rate is not")],
)
def test_the_command_line_refuses_what_no_file_may_hold(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = errdex(tmp_path / "keys.toml", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert not list(tmp_path.iterdir())


def test_without_the_setting_the_command_line_says_what_is_missing() -> None:
    done = errdex(None, "list")
    assert done.returncode == 2
    assert "ERRDEX_KEYS" in done.stderr


def test_two_who_change_the_file_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "errdex", "keys", "add", name],
            env=os.environ | {"PYTHONPATH": str(ROOT / "api"), "ERRDEX_KEYS": str(path)},
            stdout=subprocess.DEVNULL,
        )
        for name in ("one", "two", "three")
    ]
    assert [process.wait(120) for process in running] == [0, 0, 0]
    assert sorted(found.name for found in read_keys(path)) == ["one", "three", "two"]


def test_a_change_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    write_keys(path, [key("ci")])

    def fails() -> None:
        with changing_keys(path) as keys:
            keys.clear()
            raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        fails()
    assert [found.name for found in read_keys(path)] == ["ci"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give a file away")
def test_a_file_that_root_writes_belongs_to_whom_its_folder_belongs(tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    os.chown(tmp_path, 4711, 4712)
    write_keys(path, [])
    assert (path.stat().st_uid, path.stat().st_gid) == (4711, 4712)
    os.chown(path, 4713, 4714)
    write_keys(path, [key("ci")])
    assert (path.stat().st_uid, path.stat().st_gid, stat.S_IMODE(path.stat().st_mode)) == (4713, 4714, 0o600)
