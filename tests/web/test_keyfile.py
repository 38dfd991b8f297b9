from pathlib import Path

import pytest

from errdex.errors import KeysError
from errdex.keys import Key, new_secret, utc_today, write_keys
from errdex.web.keyfile import KeyFile


def test_a_server_without_a_file_has_no_keys() -> None:
    file = KeyFile(None)
    assert not file.reload()
    assert len(file.ring) == 0


def test_a_file_that_was_never_read_gives_no_ring(tmp_path: Path) -> None:
    (tmp_path / "keys.toml").write_text("[[key]\n", encoding="utf-8")
    file = KeyFile(tmp_path / "keys.toml")
    assert not file.reload()
    with pytest.raises(KeysError, match="its log says why"):
        _ = file.ring


def test_keys_are_taken_up_and_a_broken_file_leaves_the_last_good_ones(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path, secret = tmp_path / "keys.toml", new_secret()
    file = KeyFile(path)
    assert file.reload()  # no file: no keys
    assert len(file.ring) == 0
    write_keys(path, [Key.of("ci", secret)])
    assert file.reload()
    assert not file.reload()
    path.write_text("[[key]\n", encoding="utf-8")
    assert not file.reload()
    assert not file.reload()
    assert file.ring.find(secret, utc_today()).name == "ci"
    assert len([record for record in caplog.records if record.levelname == "ERROR"]) == 1
    write_keys(path, [])
    assert file.reload()
    assert len(file.ring) == 0
