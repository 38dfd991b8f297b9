"""Nothing that is read can bring code with it: no pickle in any form, no model that runs its own modules."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

MODULES = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
FLAGS = {"allow_pickle", "trust_remote_code", "allow_dangerous_deserialization"}
SOURCES = sorted([*(ROOT / "api").rglob("*.py"), *(ROOT / "bench").rglob("*.py")])


def findings(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name.split(".")[0] in MODULES)
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in MODULES:
                yield module
            case ast.keyword(arg=str(flag), value=value) if flag in FLAGS:
                if not (isinstance(value, ast.Constant) and value.value is False):
                    yield flag
            case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="load")):
                yield "torch.load"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_is_unpickled(path: Path) -> None:
    assert not list(findings(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "import os, marshal",
        "from pickle import loads",
        "from joblib.externals import cloudpickle",
        "np.load(path, allow_pickle=True)",
        "np.load(path, allow_pickle=flag)",
        "torch.load(path)",
        "AutoModel.from_pretrained(name, trust_remote_code=True)",
    ],
)
def test_each_way_would_be_found(source: str) -> None:
    assert list(findings(source))
