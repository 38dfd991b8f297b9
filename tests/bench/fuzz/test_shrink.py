from pathlib import Path

from bench.fuzz import corpus
from bench.fuzz.cases import Case
from bench.fuzz.shrink import shrink

HEADERS = ((b"host", b"a"), (b"content-length", b"27"), (b"accept", b"*/*"))
CASE = Case("POST", "/lookup", b"a=b", HEADERS, b"one\ntwo bad three\nfour\nfive", "log")


def test_a_failing_case_becomes_as_small_as_it_can_be() -> None:
    smallest = shrink(CASE, lambda case: b"bad" in case.body and any(name == b"accept" for name, _ in case.headers))
    assert (smallest.body, smallest.query, smallest.headers) == (b"bad", b"", ((b"accept", b"*/*"),))


def test_the_length_that_a_header_names_stays_right() -> None:
    smallest = shrink(
        CASE, lambda case: b"two" in case.body and dict(case.headers).get(b"content-length") == str(len(case.body)).encode()
    )
    assert (smallest.body, dict(smallest.headers)) == (b"two", {b"content-length": b"3"})


def test_shrinking_ends() -> None:
    assert shrink(CASE, lambda case: True, tries=3).path == "/lookup"


def test_a_case_comes_back_from_the_corpus_as_it_was(tmp_path: Path) -> None:
    large = Case("PUT", "/\udcff\n", b"\xff", ((b"x", b"\xff"),), b"\x00\xff" * 50_000, "bytes")
    for case in (CASE, large):
        corpus.save(case, tmp_path)
    assert sorted(case.path for _, case in corpus.load(tmp_path)) == sorted((CASE.path, large.path))
    assert large in [case for _, case in corpus.load(tmp_path)]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 2000
