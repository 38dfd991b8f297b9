import pytest
from hypothesis import given
from hypothesis import strategies as st

from errdex.normalize import normalize


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("object at 0x7f8a1c2d3e4f is gone", "object at 0x is gone"),
        ("run 123e4567-e89b-12d3-a456-426614174000 failed", "run uuid failed"),
        ("2026-01-02 10:00:00,123 failed", "failed"),
        ("2026-01-02T10:00:00 failed", "failed"),
        ("in /home/user/project/grad_scaler.py", "in grad_scaler.py"),
        (r"in C:\Users\user\project\grad_scaler.py", "in grad_scaler.py"),
        ("/usr/lib/x86_64/libcudart.so.11.0: cannot open", "libcudart.so.11.0: cannot open"),
        ("allocated 25769803776 bytes", "allocated 0 bytes"),
        ("a  \t b", "a b"),
        ("  \n text \n", "text"),
        ("", ""),
    ],
)
def test_what_differs_from_run_to_run_goes(text: str, normal: str) -> None:
    assert normalize(text) == normal


@pytest.mark.parametrize(
    "text",
    [
        "expected scalar type Half but found Float",
        "mat1 and mat2 shapes cannot be multiplied (32x768 and 512x10)",
        "torch==2.13.0 needs nccl 2.21.5",
        "expected m1 and m2 to be torch.float16, got torch.bfloat16",
        "size mismatch at dim 1: 1024 against 4096",
        "either/or",
        "训练时显存不足，怎么办？",
        "line one\nline two",
    ],
)
def test_what_says_something_stays(text: str) -> None:
    assert normalize(text) == text


@given(st.text(alphabet="ab0 123/\\.:-xT_~\t\n", max_size=400))
def test_a_text_never_grows(text: str) -> None:
    assert len(normalize(text)) <= len(text)


@pytest.mark.parametrize(
    "text", ["/a" * 100_000, "1" * 200_000, "0x" * 100_000, " \t" * 100_000, "a-" * 100_000, "\\b." * 60_000]
)
def test_a_long_text_of_one_kind_comes_back(text: str) -> None:
    assert len(normalize(text)) <= len(text)
