from html import unescape
from urllib.parse import parse_qs, urlsplit

from errdex.feedback import Feedback
from tests.sheets import english, entry

FORM = "https://example.org/new?title={title}&body={body}"


def test_without_a_form_a_reader_is_sent_to_the_page_on_contributing() -> None:
    section = Feedback("http://127.0.0.1:1").section(entry(), "en", english())
    assert "(../contribute.md#report)" in section[1]


def test_a_form_is_filled_in_with_the_entry() -> None:
    link = Feedback("http://127.0.0.1:1", FORM).section(entry(), "en", english())[1].split('href="')[1].split('"')[0]
    asked = parse_qs(urlsplit(unescape(link)).query)
    assert asked["title"] == ["MEM001: wrong or incomplete: Title of en"]
    assert "http://127.0.0.1:1/en/mem/out-of-memory/" in asked["body"][0]


def test_a_title_cannot_leave_the_link() -> None:
    hostile = entry(pages={lang: entry().pages["en"].model_copy(update={"title": '"><b>&body=x'}) for lang in entry().pages})
    text = Feedback("", FORM).section(hostile, "en", english())[1]
    assert text.count("<") == 2
    assert text.count("&amp;body=") == 1


def test_where_a_server_takes_votes_two_buttons_stand_before_the_link() -> None:
    heading, buttons, link = Feedback("http://127.0.0.1:1", api_url="https://api.example/").section(entry(), "en", english())
    assert heading.startswith("## Was this right?")
    assert 'data-vote="MEM001" data-api="https://api.example/"' in buttons
    assert buttons.count("<button") == 2
    assert "contribute.md#report" in link


def test_without_a_server_there_are_no_buttons() -> None:
    assert "<button" not in "".join(Feedback("http://127.0.0.1:1").section(entry(), "en", english()))
