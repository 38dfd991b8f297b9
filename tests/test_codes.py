import pytest

from errdex.catalog import load_catalog
from errdex.codes import KINDS, Code, codes_in, entry_codes
from errdex.words import read_words
from tests.sheets import SOURCES, entry


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("NVRM: Xid (PCI:0000:65:00): 79, pid=1234, GPU has fallen off the bus.", [("xid", "79")]),
        (r"\bXid \(PCI:[0-9a-f:.]+\): 48\b", [("xid", "48")]),
        ("ncclUnhandledCudaError: Call to CUDA function failed.", [("nccl", "ncclUnhandledCudaError")]),
        ("ncclSystemError, ncclInvalidUsage", [("nccl", "ncclSystemError"), ("nccl", "ncclInvalidUsage")]),
        (r"\bcudaErrorInsufficientDriver\b", [("gpu", "cudaErrorInsufficientDriver")]),
        ("CUBLAS_STATUS_NOT_INITIALIZED when calling", [("gpu", "CUBLAS_STATUS_NOT_INITIALIZED")]),
        ("39 (UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)", [("gpu", "UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY")]),
        ("CUDA error 35 at ggml-cuda.cu:5522", [("cuda", "35")]),
        ("CUDA initialization: Unexpected error from cudaGetDeviceCount(). Error 804: forward", [("cuda", "804")]),
        ("failed (exitcode: -9) local_rank: 0", [("exit", "-9")]),
        ("returned non-zero exit status 1.", [("exit", "1")]),
        ("died with <Signals.SIGKILL: 9>", [("signal", "SIGKILL")]),
        ("is killed by signal: Bus error.", [("signal", "SIGBUS")]),
        (r"\[[Ee]rrno 24\] Too many open files", [("errno", "24")]),
        (r"Too many open files \(os error 24\)", [("errno", "24")]),
        ("401 Client Error: Unauthorized for url", [("http", "401")]),
        ("HTTP Error 503: unavailable", [("http", "503")]),
        (r"(exitcode: (?P<exitcode>\d+)) for size 404 of RUNTIME_ERRORS, signal size 12, SIGNATURE", []),
    ],
)
def test_a_code_is_found_by_the_rule_of_its_kind(text: str, codes: list[tuple[str, str]]) -> None:
    assert list(codes_in(text)) == codes


def test_an_entry_has_the_codes_of_its_patterns_and_its_messages_in_order() -> None:
    one = entry(
        signature=[{"pattern": r"\bCUDA_ERROR_NO_DEVICE\b"}, {"pattern": "exit code"}],
        samples={"hit-a.txt": "exit code 137\nexit code 2\n"},
    )
    assert entry_codes(one) == [("gpu", "CUDA_ERROR_NO_DEVICE"), ("exit", "2"), ("exit", "137")]


@pytest.mark.parametrize(
    ("code", "label"),
    [
        (Code("errno", "24"), "24 EMFILE"),
        (Code("errno", "999"), "999"),
        (Code("exit", "3221225477"), "3221225477 0xC0000005"),
        (Code("exit", "-9"), "-9"),
    ],
)
def test_a_number_is_shown_with_the_name_it_is_looked_up_by(code: Code, label: str) -> None:
    assert code.label == label


def test_every_kind_is_named_in_each_language() -> None:
    for words in read_words(SOURCES / "strings.toml").languages.values():
        assert [kind for kind in KINDS if not (words[f"codes_{kind}"] and "{name}" in words[f"list_{kind}"])] == []


def test_codes_of_the_knowledge_are_safe_as_names_of_pages() -> None:
    codes = {code for one in load_catalog() for code in entry_codes(one)}
    assert codes
    assert [code for code in codes if not code.value.replace("-", "").replace("_", "").isalnum()] == []
