import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from errdex.settings import Settings
from tests.conftest import ROOT

LOG = "[rank1]: ValueError: Attempting to unscale FP16 gradients.\n"


@pytest.fixture(scope="module")
def environment(settings: Settings) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ERRDEX_")}
    return kept | {"ERRDEX_INDEX": str(settings.index), "PYTHONPATH": str(ROOT / "api"), "COLUMNS": "100", "NO_COLOR": "1"}


def errdex(environment: dict[str, str], *arguments: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "errdex", *arguments],
        input=text,
        capture_output=True,
        env=environment,
        timeout=120,
        check=False,
    )


def test_a_pipe_in_and_a_readable_answer_out(environment: dict[str, str]) -> None:
    done = errdex(environment, "lookup", text=LOG.encode())
    out = done.stdout.decode()
    assert done.returncode == 0, done.stderr.decode()
    assert "AMP003" in out
    assert "rank 1" in out
    assert "1. Train FP32 weights under autocast" in out
    assert "\x1b[" not in out


def test_colour_when_it_is_asked_for(environment: dict[str, str]) -> None:
    coloured = {name: value for name, value in environment.items() if name != "NO_COLOR"} | {"FORCE_COLOR": "1"}
    assert b"\x1b[" in errdex(coloured, "lookup", text=LOG.encode()).stdout


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        (LOG, "match", 0),
        ("AttributeError: 'Encoder' object has no attribute 'layers'", "candidates", 3),
        ("the trams in Lisbon are on time today", "no_match", 4),
    ],
)
def test_the_exit_status_says_how_sure(environment: dict[str, str], text: str, status: str, code: int) -> None:
    done = errdex(environment, "lookup", "--json", text=text.encode())
    assert (json.loads(done.stdout)["status"], done.returncode) == (status, code)


def test_a_file_and_a_language(environment: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(LOG, encoding="utf-8")
    out = errdex(environment, "lookup", str(log), "--lang", "zh_TW").stdout.decode()
    assert "錯誤訊息完全相符" in out


@pytest.mark.parametrize(
    ("arguments", "text", "said"),
    [
        (("lookup", "no-such-file.log"), b"", "no-such-file.log cannot be read"),
        (("lookup", "."), b"", ". cannot be read"),
        (("lookup",), b"", "There is no text to look up"),
        (("lookup",), b"\x00\x01\x02\x03" * 200, "not text"),
        (("lookup", "--lang", "fr"), LOG.encode(), "Use one of en, zh-CN, zh-TW"),
        (("explain", "XYZ999"), b"", "No entry has this id"),
    ],
)
def test_bad_input_is_one_clear_message(environment: dict[str, str], arguments: tuple[str, ...], text: bytes, said: str) -> None:
    done = errdex(environment, *arguments, text=text)
    errors = " ".join(done.stderr.decode().split())
    assert done.returncode == 2
    assert said in errors
    assert "Traceback" not in errors


def test_explain_prints_a_page(environment: dict[str, str]) -> None:
    assert "改用 BF16" in errdex(environment, "explain", "amp003", "--lang", "zh-CN").stdout.decode()


def test_a_damaged_index_is_built_again(environment: dict[str, str], tmp_path: Path) -> None:
    import shutil

    entry = Path("entries", "amp", "unscale-fp16-gradients")
    shutil.copytree(ROOT / "kb" / entry, tmp_path / "kb" / entry)
    small = environment | {"ERRDEX_INDEX": str(tmp_path / "index"), "ERRDEX_KB": str(tmp_path / "kb")}
    assert errdex(small, "index").returncode == 0
    next(tmp_path.glob("index/v-*")).joinpath("owners.npy").write_bytes(b"rubbish")
    done = errdex(small, "index")
    assert done.returncode == 0
    assert "damaged" in done.stderr.decode()
    assert errdex(small, "index").stderr.decode().startswith("index is up to date")


def test_the_pages_that_mkdocs_reads_can_be_written_alone(environment: dict[str, str], tmp_path: Path) -> None:
    import shutil

    entry = Path("entries", "amp", "unscale-fp16-gradients")
    shutil.copytree(ROOT / "kb" / entry, tmp_path / "kb" / entry)
    form = "https://forge.example/new?title={title}&body={body}"
    places = {"ERRDEX_SITE": str(tmp_path / "site"), "ERRDEX_KB": str(tmp_path / "kb"), "ERRDEX_CONTRIBUTE_URL": form}
    assert errdex(environment | places, "site", "--prepare").returncode == 0
    page = (tmp_path / "site-src" / "zh-TW" / "amp" / "unscale-fp16-gradients.md").read_text(encoding="utf-8")
    assert "https://forge.example/new?title=AMP003" in page
    assert not (tmp_path / "site").exists()


def test_a_broken_entry_stops_the_index_with_every_finding(environment: dict[str, str], tmp_path: Path) -> None:
    import shutil

    kb = tmp_path / "kb"
    for slug in ("unscale-fp16-gradients", "loss-nan-with-fp16"):
        shutil.copytree(ROOT / "kb" / "entries" / "amp" / slug, kb / "entries" / "amp" / slug)
    (kb / "entries" / "amp" / "unscale-fp16-gradients" / "zh-TW.md").unlink()
    toml = kb / "entries" / "amp" / "loss-nan-with-fp16" / "entry.toml"
    toml.write_text("colour = 1\n" + toml.read_text(encoding="utf-8"), encoding="utf-8")
    done = errdex(environment | {"ERRDEX_KB": str(kb)}, "index")
    errors = done.stderr.decode()
    assert done.returncode == 2
    assert "zh-TW.md: missing" in errors
    assert "schema: colour" in errors


def test_a_broken_entry_keeps_no_sample_of_another_from_being_ranked(environment: dict[str, str], tmp_path: Path) -> None:
    import shutil

    shutil.copytree(ROOT / "kb" / "entries" / "amp" / "unscale-fp16-gradients", tmp_path / "entries/amp/unscale-fp16-gradients")
    shutil.copy(ROOT / "kb" / "glossary.toml", tmp_path)
    (tmp_path / "entries/amp/unscale-fp16-gradients/samples/hit-other.txt").write_text("KeyError: 'other'", encoding="utf-8")
    (tmp_path / "entries/amp/half-written").mkdir()
    shutil.copytree(ROOT / "kb" / "entries" / "amp" / "loss-nan-with-fp16", tmp_path / "entries/amp/loss-nan-with-fp16")
    toml = tmp_path / "entries/amp/loss-nan-with-fp16/entry.toml"
    toml.write_text(toml.read_text(encoding="utf-8").replace("pattern = '''", "pattern = '''(?=", 1), encoding="utf-8")
    here = environment | {"ERRDEX_KB": str(tmp_path), "ERRDEX_INDEX": str(tmp_path / "index")}
    done = errdex(here, "check", "AMP003")
    assert done.returncode == 1
    assert "hit-other.txt: hits: finds nothing" in done.stdout.decode()
    assert not (tmp_path / "index").exists()


def test_the_version(environment: dict[str, str]) -> None:
    from errdex import __version__

    assert errdex(environment, "--version").stdout.decode().strip() == __version__
