import asyncio
import logging
from pathlib import Path

import pytest

from errdex.keys import Key, new_secret, write_keys
from errdex.web.keyfile import KeyFile
from errdex.web.polling import poll


def test_a_running_server_sees_a_revoked_key(tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    write_keys(path, [Key.of("ci", new_secret())])

    async def until_revoked() -> None:
        file = KeyFile(path)
        file.reload()
        polling = asyncio.create_task(poll(0.01, file.reload))
        write_keys(path, [])
        async with asyncio.timeout(30):
            while len(file.ring):
                await asyncio.sleep(0.01)
        polling.cancel()

    asyncio.run(until_revoked())


def test_what_fails_is_logged_and_done_again_and_stops_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    done: list[str] = []

    def fails() -> None:
        done.append("fails")
        raise MemoryError

    async def until_done_twice() -> None:
        polling = asyncio.create_task(poll(0.01, fails, lambda: done.append("works")))
        async with asyncio.timeout(30):
            while len(done) < 4:
                await asyncio.sleep(0.01)
        polling.cancel()

    with caplog.at_level(logging.ERROR, "errdex"):
        asyncio.run(until_done_twice())
    assert done[:4] == ["fails", "works"] * 2
    assert [record.levelname for record in caplog.records][:2] == ["ERROR"] * 2
