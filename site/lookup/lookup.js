// The whole path of a lookup: text in, answer out; mirrors errdex.lookup without the model.
import { constantsOf, knowledge } from "./knowledge.js";
import { LexicalIndex, tokenize } from "./lexical.js";
import { Place, Tier, bestHits, rank, retrievalFeatures, statusOf, tierOf, versionDiffers } from "./ranking.js";
import { redact } from "./redact.js";
import { readReport } from "./report.js";
import { searchSignatures, unitsOf } from "./signatures.js";

const { MAX_TEXT } = constantsOf.asked;
const { RETRIEVED } = constantsOf.lookup;
const { MAX_PLACES } = constantsOf.signatures;
const { entries } = knowledge;
const head = new LexicalIndex(knowledge.head);
const body = new LexicalIndex(knowledge.body);
const READABLE_CONTROLS = "\t\n\r\x1b\b\f";
const EXCERPT = 4; // lines around the root error that are shown

// The part of a text that is read; throws "empty" or "binary" where there is nothing to read.
const readableText = (text) => {
  const whole = text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
  if (!whole.trim()) throw new Error("empty");
  const sample = [...whole.slice(0, 4096)];
  const odd = sample.filter((c) => (c < " " && !READABLE_CONTROLS.includes(c)) || c === "\ufffd").length;
  if (odd > 0.1 * sample.length) throw new Error("binary");
  return whole;
};

const retrieved = (report, hits) => {
  const tokens = tokenize(report.question);
  const [headFound, bodyFound] = [head, body].map((index) => ({ scores: index.scores(tokens), coverage: index.coverage(tokens) }));
  const features = retrievalFeatures(report, tokens, headFound, bodyFound);
  const candidates = entries.map((entry, position) => {
    const [place, hit] = hits.get(position) ?? [Place.ELSEWHERE, null];
    const generic = Boolean(hit?.generic) && place === Place.ROOT;
    const own = { ...features[position], generic: Number(generic) };
    return { position, entry, tier: Tier.RETRIEVED, features: own, hit: generic ? hit : null };
  });
  return rank(candidates).slice(0, RETRIEVED).map((item) => item.candidate);
};

// Entries that may answer; words are looked for only when no specific signature stands in the root error.
const candidatesFor = (report) => {
  const units = unitsOf(report.lines, report.exceptions.map((raised) => [raised.line, `${raised.type}: ${raised.message}`]));
  const found = searchSignatures(units);
  for (const raised of units.length > MAX_PLACES ? report.chain : []) {
    // Of a line that is repeated thousands of times only the first places are looked at: the root's must be among them.
    found.push(...searchSignatures(units.filter((unit) => raised.start <= unit.line && unit.line <= raised.end)));
  }
  const hits = bestHits(found, report);
  const signed = [...hits].map(([position, [place, hit]]) => {
    const entry = entries[position];
    const features = { version_differs: Number(versionDiffers(entry, report)), aside: Number(report.isAside(hit.line)) };
    return { position, entry, tier: tierOf(entry, place, hit, report), features, hit };
  });
  const certain = signed.filter((candidate) => candidate.tier > Tier.RETRIEVED);
  if (certain.some((candidate) => candidate.tier === Tier.ROOT)) return certain;
  const known = new Set(certain.map((candidate) => candidate.position));
  return certain.concat(retrieved(report, hits).filter((candidate) => !known.has(candidate.position)));
};

const errorOf = ({ type, message, rank: failed, line }) => ({ type, message: message.slice(0, 2000), rank: failed, line });

const rootError = (report) => {
  if (report.root) return errorOf(report.root);
  const asked = report.isQuestion ? report.ownWords : [];
  const line = report.errorLines.find((found) => !asked.includes(found.text));
  return line ? { type: null, message: line.text.trim().slice(0, 2000), rank: line.rank, line: line.number } : null;
};

// The lines around an error, as they came but redacted: {number, text, root}.
const excerptOf = (text, report, root) => {
  if (!root) return [];
  const [start, end] = report.root ? [report.root.line, report.root.end] : [root.line, root.line];
  const lines = text.split("\n");
  const from = Math.max(1, start - EXCERPT);
  return lines.slice(from - 1, Math.min(end, start + 12) + EXCERPT).map((line, i) => {
    const number = from + i;
    return { number, text: line.slice(0, 400), root: start <= number && number <= end };
  });
};

const resultOf = ({ candidate, confidence }) => ({
  id: candidate.entry.id,
  path: candidate.entry.path,
  position: candidate.position,
  kind: candidate.entry.kind,
  confidence: Math.round(confidence * 1e4) / 1e4,
  evidence: candidate.hit
    ? { stage: "signature", line: candidate.hit.line, text: candidate.hit.text, captures: candidate.hit.captures }
    : { stage: "lexical", line: null, text: null, captures: {} },
});

// The answer in the shape of `POST /lookup`, with an excerpt of the log, and with positions instead of an entry's texts.
export const lookUp = (text, limit) => {
  const redacted = redact(readableText(text));
  const report = readReport(redacted.text);
  const [status, shown] = statusOf(rank(candidatesFor(report)), report);
  const root = rootError(report);
  const consequences = report.exceptions.slice(1).map((raised, i) => ({ ...errorOf(raised), reason: report.reasons[i] }));
  return {
    status,
    report: { root, consequences, versions: report.versions, redactions: redacted.removed },
    results: shown.slice(0, limit).map(resultOf),
    excerpt: excerptOf(redacted.text, report, root),
    lookedFor: status === "no_match" ? report.headline : null,
    // The server would have compared by meaning, too.
    modelWouldHelp: shown[0]?.candidate.tier !== Tier.ROOT,
  };
};
