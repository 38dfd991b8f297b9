import random

import pytest

from errdex.fingerprint import ALIKE, Fingerprint, normalized_message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Tried to allocate 1.88 GiB (GPU 0; 23.7 GiB total)", "Tried to allocate 20.00 GiB (GPU 3; 9 GiB total)"),
        ("size mismatch, got torch.Size([3, 4]) and [2]", "size mismatch, got torch.Size([7]) and [9, 12]"),
        ("found cuda:0 and cuda:1!", "Found cuda:3 and cuda:0"),
        ("cannot open /data/maria/run/model.safetensors", "cannot open C:\\Users\\x\\other.safetensors"),
        ("loading './out/pytorch model.bin' failed", 'loading "/srv/x/y.bin" failed'),
        ("key h.0.attn.weight is missing", "key h.11.mlp.bias is missing"),
        ("see https://example.org/a/b?c=1 for help", "see https://example.org/z for help"),
        ("object at 0x7f12ab34 of run 7d9f3e21aa01", "object at 0x55aa11bb of run 0c1d2e3f4a5b"),
        ("You can’t do this（yet）", "You can't do this(yet)"),
        ("lines that\nwere wrapped", "lines that were wrapped"),
    ],
)
def test_what_differs_from_run_to_run_is_left_out(first: str, second: str) -> None:
    assert normalized_message(first) == normalized_message(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("No module named 'flash_attn'", "No module named 'apex'"),
        ("libcudart.so.11.0: cannot open", "libnccl.so.2: cannot open"),
        ("not implemented for 'Half'", "not implemented for 'BFloat16'"),
        ("got float16", "got float32"),
        ("'two words'", "'three other words'"),
        ("/x/y/grad_scaler.py failed", "/x/y/optimizer.py failed"),
    ],
)
def test_what_says_which_error_it_is_stays(first: str, second: str) -> None:
    assert normalized_message(first) != normalized_message(second)


def test_errors_that_are_alike_share_a_bucket() -> None:
    """Whatever the words: else the store would not find the row."""
    random.seed(7)
    words = [f"word{chr(97 + number % 26)}{'z' * (number // 26)}" for number in range(120)]
    alike = 0
    for _ in range(300):
        kept = random.sample(words, random.randint(4, 30))
        other = random.sample(kept, max(4, round(len(kept) * random.uniform(0.8, 1)))) + random.sample(
            words, random.randint(0, 3)
        )
        one, two = (Fingerprint("error", "LeverError", " ".join(text)) for text in (kept, other))
        if one.alike(two) >= ALIKE:
            alike += 1
            assert set(one.buckets) & set(two.buckets)
    assert alike > 50


def test_another_type_or_a_short_message_is_compared_as_a_whole() -> None:
    one, two = Fingerprint("error", "KeyError", "'a'"), Fingerprint("error", "KeyError", "'b'")
    assert (one.alike(two), one.buckets) == (0.0, ())
    assert one.alike(Fingerprint("error", "KeyError", "'a'")) == 1.0
    long = "a lever that is long enough to compare"
    assert Fingerprint("error", "KeyError", long).alike(Fingerprint("error", "ValueError", long)) == 0.0
