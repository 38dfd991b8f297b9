"""A request is answered in time, whatever the model does."""

from collections.abc import Iterator, Sequence
from threading import Event

import numpy as np
import pytest
from numpy.typing import NDArray
from starlette.testclient import TestClient

from errdex.encoder import Encoder, Role
from errdex.index import Index
from errdex.lookup import Lookup
from errdex.settings import Settings
from errdex.web.app import create_app

LOG = "ValueError: Attempting to unscale FP16 gradients."
QUESTION = "why does my loss become nan with fp16?"
SIBLING = "how do I keep the loss scale from falling to zero?"


class StallingEncoder:
    """A real encoder that answers nobody before it is released."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.name, self.dimension = encoder.name, encoder.dimension
        self.released = Event()

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        self.released.wait(60)
        return self._encoder.encode(texts, role)


@pytest.fixture
def stalling(encoder: Encoder) -> Iterator[StallingEncoder]:
    made = StallingEncoder(encoder)
    yield made
    made.released.set()


@pytest.fixture
def client(settings: Settings, index: Index, stalling: StallingEncoder) -> Iterator[TestClient]:
    app = create_app(settings.model_copy(update={"answer_seconds": 0.5}))
    with TestClient(app) as running:
        app.state.live._lookup = Lookup(index, stalling)
        yield running


def test_a_model_that_hangs_costs_the_model_only(client: TestClient, stalling: StallingEncoder) -> None:
    for question in (QUESTION, SIBLING, QUESTION):  # more than there are threads, on most machines
        answer = client.post("/lookup", json={"traceback": question}).json()
        assert answer["degraded"]
        assert {result["evidence"]["stage"] for result in answer["results"]} == {"lexical"}
    signed = client.post("/lookup", json={"traceback": LOG}).json()
    assert (signed["status"], signed["degraded"]) == ("match", False)
    stalling.released.set()
    assert not client.post("/lookup", json={"traceback": SIBLING + " Really."}).json()["degraded"]


def test_a_batch_shares_one_deadline(client: TestClient) -> None:
    items = [{"traceback": QUESTION}, {"traceback": LOG}, {"traceback": SIBLING}]
    answers = client.post("/lookup/batch", json={"items": items}).json()["answers"]
    assert [answer["degraded"] for answer in answers] == [True, False, True]


def test_what_words_decide_in_need_is_what_a_server_without_the_model_says(client: TestClient, index: Index) -> None:
    answer = client.post("/lookup", json={"traceback": QUESTION}).json()
    alone = Lookup(index, None).answer(QUESTION).model_dump(mode="json")
    assert (answer["status"], answer["results"]) == (alone["status"], alone["results"])
    assert not alone["degraded"]


def test_a_long_log_is_read_in_a_thread_to_the_same_end(client: TestClient) -> None:
    noise = "\n".join(f"step {number} ok" for number in range(2000))
    answer = client.post("/lookup", json={"traceback": f"{noise}\n{LOG}"}).json()
    assert (answer["status"], answer["report"]["root"]["line"]) == ("match", 2001)


def test_a_search_does_not_wait_for_a_model_that_hangs(client: TestClient, index: Index) -> None:
    found = client.get("/search", params={"q": QUESTION}).json()
    alone = Lookup(index, None).search(QUESTION)
    assert [entry["id"] for entry in found] == [item.candidate.entry.id for item in alone][: len(found)]
    assert len(found) == 10
