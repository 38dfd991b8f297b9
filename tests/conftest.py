"""What every test may use: the real knowledge, the real encoder and one real index, made once."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from errdex.catalog import Catalog, load_catalog
from errdex.encoder import Encoder, load_encoder
from errdex.index import Index, build_index, previous_index, save_index
from errdex.lookup import Lookup
from errdex.settings import Settings

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog()


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    return load_encoder(None)


@pytest.fixture(scope="session")
def index(catalog: Catalog, encoder: Encoder) -> Index:
    """The real index; passages that `make index` has encoded already are not encoded by each worker again."""
    return build_index(catalog, encoder, previous=previous_index(Settings().index))


@pytest.fixture(scope="session")
def lookup(index: Index, encoder: Encoder) -> Lookup:
    return Lookup(index, encoder)


@pytest.fixture(scope="session")
def settings(index: Index, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a server whose index is built."""
    folder = tmp_path_factory.mktemp("errdex")
    save_index(index, folder / "index")
    return Settings(index=folder / "index", site=folder / "no-site")


@pytest.fixture(scope="session")
def small(catalog: Catalog, encoder: Encoder, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a server that starts at once: it knows one entry, AMP003, and does without the model."""
    folder = tmp_path_factory.mktemp("small")
    save_index(build_index(Catalog(entries={"AMP003": catalog.get("AMP003")}, digest="small"), encoder), folder / "index")
    return Settings(index=folder / "index", site=folder / "no-site", model="none")


@pytest.fixture
def logging_restored() -> Iterator[None]:
    """What a test's journal changes in logging is as before when the test is over."""
    root, quiet = logging.getLogger(), logging.getLogger("uvicorn.access")
    handlers, level, raises, disabled = root.handlers, root.level, logging.raiseExceptions, quiet.disabled
    flags = logging.logThreads, logging.logProcesses, logging.logMultiprocessing
    yield
    logging.captureWarnings(False)
    root.handlers, logging.raiseExceptions, quiet.disabled = handlers, raises, disabled
    logging.logThreads, logging.logProcesses, logging.logMultiprocessing = flags
    root.setLevel(level)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Playwright leaves its loop running in the thread of the tests; only those of the site may find it there.

    A fixture would come too late: those of a module are made before any of a test.
    """
    running = None if "site" in item.path.parts else asyncio._get_running_loop()
    if running:
        asyncio._set_running_loop(None)
    try:
        return (yield)
    finally:
        if running:
            asyncio._set_running_loop(running)
