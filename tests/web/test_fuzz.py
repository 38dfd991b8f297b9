"""Random requests to every route: `make fuzz` asks a million, here it is some thousand and every input that once failed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.fuzz import corpus
from bench.fuzz.cases import Case, Generator
from bench.fuzz.client import Client
from bench.fuzz.run import run, running
from bench.fuzz.verdict import faults
from errdex.settings import Settings

INPUTS = 20_000


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[Client]:
    with running(settings.index) as started:
        yield started


def test_every_route_is_asked(client: Client) -> None:
    generator = Generator(client.app, longest=1000, long_share=0, text_size=400)
    asked = [generator.case(seed).path for seed in range(5000)]
    heads = {target.path.partition("{")[0] for target in generator.targets}
    assert {head for head in heads if not any(path.startswith(head) for path in asked)} == set()


def test_random_requests_get_an_answer_or_a_problem(client: Client) -> None:
    outcome = run(client, Generator(client.app, longest=1000, long_share=0, text_size=400), range(INPUTS), timed=False)
    assert [(seed, fault) for seed, fault, _ in outcome.failures] == []
    assert outcome.cases == INPUTS
    assert {200, 400, 404, 405, 413, 415, 422} <= set(outcome.statuses)


@pytest.mark.parametrize(("name", "case"), list(corpus.load()), ids=lambda value: value if isinstance(value, str) else "")
def test_what_once_failed_fails_no_more(client: Client, name: str, case: Case) -> None:
    assert faults(case, client.ask(case), client.app) == []


def test_the_corpus_is_whole() -> None:
    files = {path.name.split(".")[0] for path in Path(corpus.FOLDER).iterdir()}
    assert files == {name for name, _ in corpus.load()}
