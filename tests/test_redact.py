import pytest

from errdex.redact import redact
from errdex.rule import Rule

SECRETS = {
    "hugging face": "hf_" + "aB3" * 10,
    "openai": "sk-" + "a1B2" * 8,
    "github": "ghp_" + "x9" * 18,
    "github fine": "github_pat_" + "x9Y_" * 8,
    "gitlab": "glpat-" + "abc-123" * 3,
    "slack": "xoxb-" + "123456-abcdef",
    "aws": "AKIA" + "ABCDEFGHIJKLMNOP",
    "google": "AIza" + "x" * 35,
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    "mail": "jane.doe+ml@corp-example.com",
    "address": "172.31.20.6",
}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS.keys())
@pytest.mark.parametrize("carrier", ["{}", 'token="{}"', "failed with ({}) at", "[rank0]: {}: x", "url=https://h/?k={}&b=1"])
def test_a_secret_does_not_pass(secret: str, carrier: str) -> None:
    result = redact(carrier.format(secret))
    assert secret not in result.text
    assert result.removed >= 1


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("WANDB_API_KEY=0123456789abcdef0123", "0123456789abcdef"),
        ("export AWS_SECRET_ACCESS_KEY='wJalrXUtnFEMI/K7MDENG'", "wJalrXUtnFEMI"),
        ('{"password": "hunter2hunter2"}', "hunter2"),
        ("Authorization: Bearer abcdefgh12345678", "abcdefgh12345678"),
        ("https://user:s3cretpass@host/path", "s3cretpass"),
        ('File "/home/alice/train.py", line 1', "alice"),
        ("File /Users/bob/x.py:3", "bob"),
        (r'File "C:\Users\carol\x.py", line 1', "carol"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----", "MIIEabc"),
    ],
)
def test_values_that_only_their_place_gives_away(text: str, gone: str) -> None:
    assert gone not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "tokenizer.pad_token = tokenizer.eos_token",
        "cuDNN version 8.9.2.26 found",
        "connect to 127.0.0.1:29500 failed",
        'File "/home/user/project/train.py", line 3',
        "RuntimeError: mat1 and mat2 must have the same dtype",
        "max_new_tokens: 4096, num_tokens=123456789",
        "torch==2.13.0 nccl 2.21.5",
        "the key 'model.layers.0' is missing",
        "KeyError: 'step'",
    ],
)
def test_what_a_reader_needs_stays(text: str) -> None:
    assert redact(text) == (text, 0)


def test_lines_keep_their_numbers() -> None:
    text = "a\nhf_" + "x" * 30 + "\nb@c.org\nd"
    assert redact(text).text.count("\n") == text.count("\n")


def test_a_hint_is_wider_than_its_rule() -> None:
    rule = Rule("k", r"(?<!\d)a{2,9}(?:(?=b)|(?<=[(]))[^()]{1,3}(?!(?:x|y)\b)(?=z(?:!|$))", "<k>")
    assert rule.hint == r"a{2,}[^()]{1,}(?:z(?:!|$))"


@pytest.mark.parametrize("said", ["done", "完成 ·“好”\U0001f682", "\ud800"], ids=["ASCII", "other letters", "half a letter"])
def test_a_short_text_and_a_long_one_lose_the_same(said: str) -> None:
    lines = [f"step {number} {said} at 10.0.0.{number % 250} by u{number}@corp.com" for number in range(400)]
    long = redact("\n".join(lines))
    assert long.text.split("\n") == [redact(line).text for line in lines]
    assert long.removed == 800


@pytest.mark.parametrize("text", ["SK" + "0a" * 16, "sk" * 9])
def test_letters_are_not_folded_where_case_matters(text: str) -> None:
    assert bool(redact(text).removed) == text.startswith("SK")
