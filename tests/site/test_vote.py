"""Readers say whether an entry was right; the server is played by the test."""

import json

from playwright.sync_api import Route, expect

from tests.site.browsing import ANSWER, API, Site, Visit

BUTTON = '[data-vote="AMP003"] [data-right="{}"]'
SAID = "[data-vote] [role=status]"


def take_votes(visit: Visit, status: int = 204) -> list[dict[str, object]]:
    """Play `POST /feedback`; returns the list that gathers what is said."""
    said: list[dict[str, object]] = []

    def reply(route: Route) -> None:
        said.append(json.loads(route.request.post_data or "{}"))
        route.fulfill(status=status, headers={"Access-Control-Allow-Origin": "*"})

    visit.page.route(f"{API}/feedback", reply)
    return said


def answered(visit: Visit) -> None:
    """Let the server answer a lookup with AMP003."""
    result = {"id": "AMP003", "title": "Title", "url": "/en/", "confidence": 0.9, "summary": "Do it.", "fixes": []}
    body: dict[str, object] = {
        "status": "match",
        "request_id": "request-42",
        "results": [result],
        "report": {"root": None, "redactions": 0},
    }
    visit.answer_lookups(body)
    visit.open("/en/")
    visit.look_up("why does it become slower?")
    visit.page.locator("[data-ask-server]").click()
    expect(visit.page.locator(f"{ANSWER} {SAID}")).to_be_attached()


def test_a_vote_on_a_page_goes_to_the_server_once_per_press(site: Site, visit: Visit) -> None:
    said = take_votes(visit)
    visit.open(f"/zh-TW/{site.catalog.get('AMP003').path}/")
    visit.page.locator(BUTTON.format("true")).click()
    expect(visit.page.locator(SAID)).to_have_text("謝謝，已經記下。")
    visit.page.locator(BUTTON.format("false")).click()
    expect(visit.page.locator(BUTTON.format("false"))).to_have_attribute("aria-pressed", "true")
    expect(visit.page.locator(BUTTON.format("true"))).to_have_attribute("aria-pressed", "false")
    assert said == [{"entry": "AMP003", "right": True}, {"entry": "AMP003", "right": False}]
    assert visit.complaints == []


def test_a_server_that_does_not_take_it_is_said_so(site: Site, visit: Visit) -> None:
    take_votes(visit, status=503)
    visit.open(f"/en/{site.catalog.get('AMP003').path}/")
    visit.page.locator(BUTTON.format("true")).click()
    expect(visit.page.locator(SAID)).to_contain_text("did not take it")


def test_a_vote_under_the_servers_answer_names_its_request_and_so_does_one_on_the_page(site: Site, visit: Visit) -> None:
    said = take_votes(visit)
    answered(visit)
    visit.page.locator(f"{ANSWER} {BUTTON.format('true')}").click()
    expect(visit.page.locator(SAID)).to_contain_text("Thank you")
    for entry_id in ("AMP003", "AMP001"):
        visit.open(f"/en/{site.catalog.get(entry_id).path}/")
        visit.page.locator('[data-vote] [data-right="false"]').click()
        expect(visit.page.locator(SAID)).to_contain_text("Thank you")
    assert said == [
        {"entry": "AMP003", "right": True, "request_id": "request-42"},
        {"entry": "AMP003", "right": False, "request_id": "request-42"},
        {"entry": "AMP001", "right": False},
    ]


def test_an_answer_of_the_browser_alone_asks_for_no_vote(visit: Visit) -> None:
    visit.open("/en/")
    visit.look_up("ValueError: Attempting to unscale FP16 gradients.")
    expect(visit.page.locator(f"{ANSWER} [data-vote]")).to_have_count(0)
