"""Imports point one way, each heavy library has one door, and importing does no work."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "api" / "errdex"
# From the ground up; a module imports only what stands in an earlier layer or earlier in its own.
LAYERS = (
    ("errors", "timings", "folders", "recent"),
    ("page", "entry", "models"),
    ("catalog", "settings", "keys", "configuration", "patterns", "rule", "credentials", "assignments", "personal", "redact"),
    ("normalize", "journal", "arrays", "manifest"),
    ("salience", "language", "lines"),
    ("tracebacks", "report"),
    ("signatures", "lexical", "encoder", "vectors"),
    ("versions", "writer"),
    ("index", "features", "ranking"),
    ("links", "asked", "lookup"),
    ("render", "record"),
    ("fingerprint", "unanswered", "schema", "migrations", "migrations.env", "migrations.versions", "migrations.versions.r0001"),
    ("database", "store", "recorder", "recheck", "coverage"),
    ("stamp", "dialects", "language_rules", "checks", "draft", "sandbox", "releases", "repro"),
    ("scores", "benchmark", "fit", "publication", "speed", "bars", "latency"),
    ("words", "neutral", "markup", "wording", "codes", "shelves", "proof", "feedback", "neighbours"),
    ("needles", "browser", "lookupbox", "sheet", "lists", "table"),
    ("plot", "quality", "changelog", "handbook", "head", "staging"),
    ("searchindex", "plain", "llms", "feed", "cards", "beside", "signpost", "sitebuild"),
    ("web", "web.body", "web.problems", "web.requests", "web.origins", "web.gate", "web.live", "web.answering"),
    ("web.polling", "web.tallies", "web.exposition", "web.tracing", "web.telemetry"),
    ("web.counts", "web.rates", "web.keyfile", "web.access"),
    ("web.lookups", "web.entries", "web.feedback", "web.health", "web.site", "web.app"),
    ("web.connection", "web.server"),
    ("cli", "cli.terminal", "cli.built", "cli.lookups", "cli.knowledge", "cli.curation", "cli.service", "cli.access"),
    ("cli.publishing", "cli.app", "__main__"),
)
DOORS = {
    "re2": {"patterns"},
    "structlog": {"journal"},
    "bm25s": {"lexical"},
    "faiss": {"vectors"},
    "onnxruntime": {"encoder"},
    "tokenizers": {"encoder"},
    "sentence_transformers": {"encoder"},
    "feedgenerator": {"feed"},
    "PIL": {"cards"},
    "prometheus_client": {"web.exposition"},
    "opentelemetry": {"web.tracing"},
    "sqlalchemy": {"schema", "database", "store", "migrations.versions.r0001"},
    "alembic": {"database", "migrations.env", "migrations.versions.r0001"},
    "limits": {"web.counts"},
}


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        if name not in ("__init__", "_version"):
            found[name] = path
    return found


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_every_module_has_its_layer_and_every_layer_its_modules() -> None:
    assert set(modules()) == {name for layer in LAYERS for name in layer}


@pytest.mark.parametrize("name", sorted(modules()))
def test_imports_point_down(name: str) -> None:
    order = {module: place for place, module in enumerate(module for layer in LAYERS for module in layer)}
    wanted = {target.removeprefix("errdex.") for target in imports(modules()[name]) if target.startswith("errdex.")}
    upward = {target for target in wanted if target in order and order[target] >= order[name]}
    assert not upward, f"{name} imports {upward} from its own height or above"


@pytest.mark.parametrize(("library", "doors"), DOORS.items())
def test_a_heavy_library_has_one_door(library: str, doors: set[str]) -> None:
    users = {name for name, path in modules().items() if any(i.split(".")[0] == library for i in imports(path))}
    assert users == doors


@pytest.mark.parametrize("name", sorted(modules()))
def test_modules_stay_small(name: str) -> None:
    assert len(modules()[name].read_text(encoding="utf-8").splitlines()) <= 400


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=lambda path: path.stem)
def test_tests_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_no_drawer_for_odds_and_ends() -> None:
    assert not {"utils", "helpers", "common", "manager"} & {part for name in modules() for part in name.split(".")}


def test_importing_the_server_loads_no_model_and_no_torch() -> None:
    models = ("torch", "sentence_transformers", "onnxruntime", "bm25s")
    heavy = (*models, "mkdocs", "prometheus_client", "opentelemetry.sdk", "sqlalchemy", "alembic", "limits", "valkey")
    code = f"import sys, errdex.web.app, errdex.cli.app; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT / "api")
    assert done.stdout.strip() == "[]"
