"""Every example of the pages about errdex is taken from the page, run, and compared with the output that the page shows."""

import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from errdex.catalog import Catalog
from errdex.lookupbox import Hosting
from errdex.settings import Settings
from errdex.staging import stage_site
from tests.conftest import ROOT
from tests.site.examples import Desk, Example, as_shown, examples
from tests.trees import ENGLISH, MAINLAND, TAIWAN

SLUG = "invalid-learning-rate"
ERROR = "Invalid learning rate"


@pytest.fixture(scope="module")
def origin(settings: Settings) -> Iterator[str]:
    """A real server."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    environment = os.environ | {
        "ERRDEX_INDEX": str(settings.index),
        "ERRDEX_SITE": str(settings.site),
        "ERRDEX_BASE_URL": address,
        "PYTHONPATH": str(ROOT / "api"),
    }
    process = subprocess.Popen([sys.executable, "-m", "errdex", "serve", "--port", str(port)], env=environment)
    try:
        deadline = time.monotonic() + 60
        while True:
            assert process.poll() is None
            assert time.monotonic() < deadline
            try:
                urllib.request.urlopen(f"{address}/readyz", timeout=5)
            except OSError:
                time.sleep(0.05)
            else:
                break
        yield address
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def staged(origin: str, catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages as MkDocs reads them, at that server's address."""
    folder = tmp_path_factory.mktemp("staged")
    one = Catalog(entries={"AMP003": catalog.get("AMP003")}, digest="one")
    stage_site(one, ROOT / "site", folder, Hosting(origin, api_url=origin))
    return folder / "en"


def shown_after(listed: list[Example], place: int) -> str | None:
    follower = listed[place + 1] if place + 1 < len(listed) else None
    return follower.body if follower and follower.kind == "text" and follower.title is None else None


def try_page(markdown: str, desk: Desk) -> int:
    """Write the page's files, run its commands in order, compare what they print; returns how many ran."""
    listed = examples(markdown)
    ran = 0
    for place, example in enumerate(listed):
        if example.title:
            (desk.folder / example.title).write_text(example.body + "\n", encoding="utf-8")
        elif example.runs:
            output = desk.run(example)
            expected = shown_after(listed, place)
            assert expected is None or as_shown(expected, output), f"{example.body}\n\nshown:\n{expected}\n\nis:\n{output}"
            ran += 1
    return ran


def test_the_examples_of_the_api_are_true(staged: Path, tmp_path: Path) -> None:
    assert try_page((staged / "api.md").read_text(encoding="utf-8"), Desk.at(tmp_path)) >= 10


class Chat(http.server.BaseHTTPRequestHandler):
    """A webhook that keeps what it is told."""

    told: list[dict[str, str]] = []  # noqa: RUF012 - http.server makes a handler per request

    def do_POST(self) -> None:
        self.told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in http.server
        pass


def test_the_examples_of_integration_are_true(staged: Path, settings: Settings, origin: str, tmp_path: Path) -> None:
    markdown = (staged / "integrate.md").read_text(encoding="utf-8")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Chat) as chat:
        thread = threading.Thread(target=chat.serve_forever)
        thread.start()
        webhook = f"http://127.0.0.1:{chat.server_port}/"
        desk = Desk.at(tmp_path, ERRDEX_INDEX=str(settings.index), ERRDEX_BASE_URL=origin, WEBHOOK=webhook)
        ran = try_page(joined_cells(markdown), desk)
        chat.shutdown()
        thread.join()
    assert ran >= 6
    assert [said["text"].startswith("**Match**") for said in Chat.told] == [True]


def joined_cells(markdown: str) -> str:
    """The cells of the notebook as one: each run of IPython is a session of its own."""
    cells = [example.body for example in examples(markdown) if example.kind == "ipython"]
    first, *others = cells
    for cell in others:
        markdown = markdown.replace(f"```ipython\n{cell}\n```", f"```ipython\n{first}\n{cell}\n```")
    return markdown


def finish(entry: Path) -> None:
    """What the page leaves to the contributor: three pages and the samples."""
    for name, text, title in (
        ("en.md", ENGLISH, f"{ERROR}: -0.1"),
        ("zh-CN.md", MAINLAND, f"{ERROR}: -0.1（学习率无效）"),
        ("zh-TW.md", TAIWAN, f"{ERROR}: -0.1（學習率無效）"),
    ):
        (entry / name).write_text(f"# {title}\n{text.split(chr(10), 1)[1]}", encoding="utf-8")
    samples = {
        "hit-short": f"ValueError: {ERROR}: -1e-05",
        "hit-question-en": "why does the optimizer say that my learning rate is invalid?",
        "hit-question-zh-CN": "优化器说学习率无效，怎么办？",
        "hit-question-zh-TW": "最佳化器說學習率無效，怎麼辦？",
        "miss-momentum": "ValueError: Invalid momentum value: -1",
    }
    for name, text in samples.items():
        (entry / "samples" / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
    toml = (entry / "entry.toml").read_text(encoding="utf-8")
    assert r"'Invalid learning rate: -\d+\.\d+'" in toml
    (entry / "entry.toml").write_text(toml.replace(r"-\d+\.\d+'", r"-?\d'"), encoding="utf-8")


def test_the_way_from_no_match_to_a_pull_request_can_be_gone(staged: Path, settings: Settings, tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    kb.mkdir()
    for path in (ROOT / "kb").glob("*.toml"):
        shutil.copy(path, kb)
    shutil.copytree(ROOT / "kb" / "entries" / "agd", kb / "entries" / "agd")
    shutil.copytree(settings.index, tmp_path / "index")
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    who = {f"GIT_{role}_{part}": "nobody@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    desk = Desk.at(tmp_path, ERRDEX_KB=str(kb), ERRDEX_INDEX=str(tmp_path / "index"), **who)
    entry = kb / "entries" / "agd" / SLUG
    listed = examples((staged / "contribute.md").read_text(encoding="utf-8"))
    for place, example in enumerate(listed):
        if example.title:
            (entry if example.kind == "python" else tmp_path).joinpath(example.title).write_text(example.body + "\n", "utf-8")
        elif example.runs:
            if example.body.startswith("errdex check --stamp"):
                finish(entry)
            output = desk.run(example)
            expected = shown_after(listed, place)
            assert expected is None or as_shown(expected, output), f"{example.body}\n\nshown:\n{expected}\n\nis:\n{output}"
    committed = subprocess.run(["git", "-C", tmp_path, "ls-files"], capture_output=True, text=True, check=True).stdout
    assert f"kb/entries/agd/{SLUG}/broken.py" in committed
