"""The whole path of a lookup: text in, answer out. Every face of errdex calls this and ranks nothing itself."""

import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from errdex.asked import readable_text, readable_versions
from errdex.encoder import Encoder, Role
from errdex.entry import Entry, Lang
from errdex.features import Traits, retrieval_features, version_differs
from errdex.index import Index
from errdex.language import detect_lang
from errdex.lexical import tokenize
from errdex.links import Links
from errdex.models import (
    Answer,
    Consequence,
    Evidence,
    FixOut,
    ReportSummary,
    Result,
    RootError,
    Stage,
    Status,
    Verified,
)
from errdex.normalize import normalize
from errdex.ranking import (
    Candidate,
    Coefficients,
    Place,
    Ranked,
    Tier,
    best_hits,
    load_coefficients,
    rank,
    shortlist,
    status_of,
    tier_of,
)
from errdex.recent import Recent
from errdex.redact import redact
from errdex.report import Report, read_report
from errdex.signatures import MAX_PLACES, Hit, units_of
from errdex.timings import Step, Timings
from errdex.tracebacks import Raised

_REPEATED = 8192  # characters of a text that may be asked again: the same paste in another language, by another rank
_RECENT = 128  # readings that are kept; some 30 kB each at most
_RETRIEVED = 10  # candidates that are ranked by words and meaning


@dataclass(frozen=True)
class Reading:
    """A text that was read, with every signature that stands in it; what is missing is a search by words and meaning.

    Attributes:
        redactions: how much was removed.
        report: what was read.
        hits: for each entry its best signature and where it stands.
        certain: entries that a specific signature names.
    """

    redactions: int
    report: Report
    hits: Mapping[str, tuple[Place, Hit]]
    certain: Sequence[Candidate]

    @property
    def is_decided(self) -> bool:
        """Whether a specific signature stands in the root error: then nothing else is looked for."""
        return any(candidate.tier is Tier.ROOT for candidate in self.certain)


class Lookup:
    """Answers texts from one index; may be shared by threads. What it read last it keeps, under keys that tell nothing."""

    def __init__(
        self,
        index: Index,
        encoder: Encoder | None,
        links: Links | None = None,
        coefficients: Coefficients | None = None,
    ) -> None:
        """Prepare to answer.

        Args:
            index: what is known.
            encoder: the model that made the index; None to do without it, when words alone find what no signature decides.
            links: where pages are.
            coefficients: numbers of the ranking, by default those that ship with this version.
        """
        self.index = index
        self.links = links or Links()
        self._encoder = encoder
        self._coefficients = coefficients or load_coefficients(model=encoder is not None)
        self._by_words = self._coefficients if encoder is None else load_coefficients(model=False)
        self._positions = {entry.id: position for position, entry in enumerate(index.entries)}
        self._traits = Traits(index.entries)
        self._secret = os.urandom(32)
        self._recent: Recent[bytes, Reading] = Recent(_RECENT)

    def answer(
        self,
        text: str,
        lang: Lang | None = None,
        limit: int = 3,
        environment: Mapping[str, str] | None = None,
        fallback: Lang = "en",
        request_id: str | None = None,
        timings: Timings | None = None,
    ) -> Answer:
        """Look a text up: `read`, then `answer_reading`.

        Args:
            text: a traceback, a log, a message or a question.
            lang: language of the answer; by default that of the person's own words in the text.
            limit: how many results at most.
            environment: library versions, if the caller knows them.
            fallback: language when neither `lang` nor the text says one.
            request_id: identity of the request, if the caller has one.
            timings: is told where each step ends.

        Raises:
            EmptyInputError: the text is empty or blank.
            NotTextError: it is binary.
            InputError: `environment` holds something else than versions.
        """
        watch = timings or Timings()
        return self.answer_reading(self.read(text, environment, watch), lang, limit, fallback, request_id, watch)

    def read(self, text: str, environment: Mapping[str, str] | None = None, timings: Timings | None = None) -> Reading:
        """The first half of a lookup, which costs little: redact, read, and search for signatures.

        Args:
            text: a traceback, a log, a message or a question.
            environment: library versions, if the caller knows them.
            timings: is told where each step ends.

        Raises:
            EmptyInputError: the text is empty or blank.
            NotTextError: it is binary.
            InputError: `environment` holds something else than versions.
        """
        watch = timings or Timings()
        if environment or len(text) > _REPEATED:
            return self._read(text, environment, watch)
        key = blake2b(text.encode("utf-8", "surrogatepass"), key=self._secret, digest_size=16).digest()
        return self._recent.get(key, lambda: self._read(text, None, watch))

    def _read(self, text: str, environment: Mapping[str, str] | None, timings: Timings) -> Reading:
        redacted = redact(readable_text(text))
        timings.end(Step.REDACT)
        report = read_report(redacted.text)
        timings.end(Step.READ)
        if environment:
            report = replace(report, versions=report.versions | readable_versions(environment))
        reading = self._signed_reading(report, redacted.removed)
        timings.end(Step.SIGNATURES)
        return reading

    def answer_reading(
        self,
        reading: Reading,
        lang: Lang | None = None,
        limit: int = 3,
        fallback: Lang = "en",
        request_id: str | None = None,
        timings: Timings | None = None,
        *,
        ask_model: bool = True,
    ) -> Answer:
        """The second half of a lookup: search by words and meaning where no signature decides, rank, and put into words.

        Args:
            reading: what `read` gave.
            lang: language of the answer; by default that of the person's own words in the text.
            limit: how many results at most.
            fallback: language when neither `lang` nor the text says one.
            request_id: identity of the request, if the caller has one.
            timings: is told where each step ends.
            ask_model: whether to wait for the model; else the answer is marked `degraded` where it would have been asked.
        """
        watch = timings or Timings()
        watch.resume()
        degraded = not ask_model and self.asks_model and not reading.is_decided
        coefficients = self._by_words if degraded else self._coefficients
        report = reading.report
        candidates = self._all_candidates(reading, _RETRIEVED, None if degraded else self._encoder, watch)
        status, shown = status_of(rank(candidates, coefficients), report, coefficients)
        watch.end(Step.RANK)
        spoken: Lang = lang or detect_lang(report.own_words) or fallback
        root = _root_error(report)
        answer = Answer(
            status=status,
            request_id=request_id or uuid.uuid4().hex,
            index=f"sha256:{self.index.manifest.content}",
            lang=spoken,
            report=ReportSummary(
                root=root,
                consequences=[
                    Consequence(**_error(raised).model_dump(), reason=reason)
                    for raised, reason in zip(report.exceptions[1:], report.reasons, strict=True)
                ],
                versions=report.versions,
                redactions=reading.redactions,
            ),
            results=[self._result(item, spoken) for item in shown[:limit]],
            looked_for=report.headline if status is Status.NO_MATCH else None,
            contribute=self.links.contribution(root) if status is Status.NO_MATCH else None,
            degraded=degraded,
        )
        watch.end(Step.RENDER)
        return answer

    @property
    def asks_model(self) -> bool:
        """Whether the model takes part where no signature decides."""
        return self._encoder is not None

    def search(self, words: str, *, ask_model: bool = True) -> list[Ranked]:
        """Entries for some words, best first; always the nearest, however far.

        Args:
            words: in any of the three languages.
            ask_model: whether to wait for the model.

        Raises:
            EmptyInputError: the words are blank.
            NotTextError: they are binary.
        """
        return self.rank(read_report(redact(readable_text(words)).text), ask_model=ask_model)

    def rank(self, report: Report, *, ask_model: bool = True) -> list[Ranked]:
        """Every candidate for a report, best first; without the model if it is not to be waited for."""
        encoder, coefficients = (self._encoder, self._coefficients) if ask_model else (None, self._by_words)
        return rank(self._all_candidates(self._signed_reading(report, 0), _RETRIEVED, encoder, Timings()), coefficients)

    def candidates(self, report: Report, retrieved: int = _RETRIEVED) -> list[Candidate]:
        """Entries that may answer. The model runs only when no specific signature stands in the root error.

        Args:
            report: what was read.
            retrieved: how many found by words and meaning are kept.
        """
        return self._all_candidates(self._signed_reading(report, 0), retrieved, self._encoder, Timings())

    def _signed_reading(self, report: Report, redactions: int) -> Reading:
        messages = [(raised.line, f"{raised.type}: {raised.message}") for raised in report.exceptions]
        units = units_of(report.lines, messages)
        found_hits = self.index.matcher.search(units)
        for raised in report.chain if len(units) > MAX_PLACES else ():
            # Of a line that is repeated thousands of times only the first places are looked at: the root's must be among them.
            found_hits += self.index.matcher.search([unit for unit in units if raised.start <= unit.line <= raised.end])
        hits = best_hits(found_hits, report)
        signed = [self._signed(entry_id, place, hit, report) for entry_id, (place, hit) in hits.items()]
        certain = [candidate for candidate in signed if candidate.tier > Tier.RETRIEVED]
        return Reading(redactions, report, hits, certain)

    def _all_candidates(self, reading: Reading, retrieved: int, encoder: Encoder | None, timings: Timings) -> list[Candidate]:
        certain = list(reading.certain)
        if reading.is_decided:
            return certain
        found = {candidate.position for candidate in certain}
        searched = self._retrieved(reading.report, reading.hits, retrieved, encoder, timings)
        return certain + [candidate for candidate in searched if candidate.position not in found]

    def _signed(self, entry_id: str, place: Place, hit: Hit, report: Report) -> Candidate:
        position = self._positions[entry_id]
        entry = self.index.entries[position]
        features = {"version_differs": float(version_differs(entry, report)), "aside": float(report.is_aside(hit.line))}
        return Candidate(position, entry, tier_of(entry, place, hit, report), features, hit)

    def _retrieved(
        self,
        report: Report,
        hits: Mapping[str, tuple[Place, Hit]],
        retrieved: int,
        encoder: Encoder | None,
        timings: Timings,
    ) -> list[Candidate]:
        tokens = tokenize(report.question)
        head = (self.index.head.scores(tokens), self.index.head.coverage(tokens))
        body = (self.index.body.scores(tokens), self.index.body.coverage(tokens))
        timings.end(Step.WORDS)
        cosines = self._cosines(report.question, encoder) if encoder else None
        timings.end(Step.MODEL)
        coefficients = self._coefficients if encoder or not self.asks_model else self._by_words
        features = retrieval_features(self._traits.columns(report, frozenset(tokens)), head, body, cosines)
        shapes = {self._positions[name]: hit for name, (place, hit) in hits.items() if hit.generic and place is Place.ROOT}
        lengths = {position: hit.length for position, hit in shapes.items()}
        candidates: list[Candidate] = []
        for position in shortlist(features, lengths, coefficients, retrieved):
            values = {name: float(column[position]) for name, column in features.items()}
            hit = shapes.get(position)
            values["generic"] = float(hit is not None)
            candidates.append(Candidate(position, self.index.entries[position], Tier.RETRIEVED, values, hit))
        return candidates

    def _cosines(self, question: str, encoder: Encoder) -> NDArray[np.float32]:
        """How near each entry's nearest passage comes, shape (entries,); -1 where none is among the likeliest of many."""
        query = encoder.encode([normalize(question)], Role.QUERY)[0]
        cosines = np.full(len(self.index.entries), -1.0, dtype=np.float32)
        positions, near = self.index.vectors.near(query)
        np.maximum.at(cosines, self.index.owners[positions], near)
        return cosines

    def _result(self, item: Ranked, lang: Lang) -> Result:
        candidate, entry = item.candidate, item.candidate.entry
        page = entry.pages[lang]
        return Result(
            id=entry.id,
            slug=entry.slug,
            title=page.title,
            lang=lang,
            kind=entry.kind,
            confidence=round(item.confidence, 4),
            summary=page.summary,
            evidence=_evidence(candidate),
            fixes=[FixOut(title=fix.title, markdown=fix.markdown, code=fix.code) for fix in page.fixes],
            verified=verified(entry),
            url=self.links.page(entry, lang),
        )


def verified(entry: Entry) -> Verified | None:
    """The entry's last successful run, if it has one."""
    run = entry.checked.run
    return Verified(**run.versions, python=run.python, device=run.device, date=run.date) if run else None


def _evidence(candidate: Candidate) -> Evidence:
    if candidate.hit is not None:
        hit = candidate.hit
        return Evidence(stage=Stage.SIGNATURE, line=hit.line, text=hit.text, captures=hit.captures)
    lexical = "cosine" not in candidate.features or candidate.features["head_share"] >= 0.999
    return Evidence(stage=Stage.LEXICAL if lexical else Stage.DENSE, line=None, text=None, captures={})


def _error(raised: Raised) -> RootError:
    return RootError(type=raised.type, message=raised.message[:2000], rank=raised.rank, line=raised.line)


def _root_error(report: Report) -> RootError | None:
    if report.root is not None:
        return _error(report.root)
    asked = report.own_words if report.is_question else ()
    for line in report.error_lines:
        if line.text not in asked:
            return RootError(type=None, message=line.text.strip()[:2000], rank=line.rank, line=line.number)
    return None
