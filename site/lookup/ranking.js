// Orders candidates and says how sure it is; mirrors errdex.ranking without the model.
import { constantsOf, knowledge } from "./knowledge.js";
import { compareKeys, sortedBy } from "./pattern.js";
import { isWarning, isWrapper } from "./report.js";
import { worthOf } from "./signatures.js";
import { isWithin } from "./versions.js";

const { CLEAR_LEAD, GENERIC_CONFIDENCE } = constantsOf.ranking;
const { COVERED } = constantsOf.features;
const { coefficients, entries } = knowledge;
const knownProducts = new Set(entries.flatMap((entry) => entry.products));

export const Place = { ELSEWHERE: 0, ROOT: 1 };
export const Tier = { RETRIEVED: 0, WRAPPER: 1, ELSEWHERE: 2, ROOT: 3 };
const SIGNED = { [Tier.WRAPPER]: "wrapper", [Tier.ELSEWHERE]: "elsewhere", [Tier.ROOT]: "root" };

// Whether a hit stands in the root error, or somewhere else in a log that has another root.
const placeOf = (hit, root) => {
  if (!root || root.quoted || isWrapper(root) || isWarning(root)) return Place.ROOT;
  if (root.start <= hit.line && hit.line <= root.end) return Place.ROOT;
  // A kernel's assertion is printed at once; the host learns of it later, by whatever call comes next.
  return root.message.startsWith("CUDA error") && hit.text.includes("Assertion `") ? Place.ROOT : Place.ELSEWHERE;
};

const knownRoot = (hits, report) =>
  report.chain.find((raised) => hits.some((hit) => !hit.generic && placeOf(hit, raised) === Place.ROOT)) ?? report.root;

// For each entry its best hit: at the root rather than elsewhere, then the one that says most, then the first.
export const bestHits = (hits, report) => {
  const best = new Map();
  const root = knownRoot(hits, report);
  for (const hit of hits) {
    const found = [placeOf(hit, root), hit];
    const known = best.get(hit.position);
    const key = ([place, held]) => [place, ...worthOf(held)];
    if (!known || compareKeys(key(found), key(known)) > 0) best.set(hit.position, found);
  }
  return best;
};

// Whether the log shows a version of a library in which this error does not occur.
export const versionDiffers = (entry, report) =>
  Object.entries(entry.versions).some(([product, range]) => product in report.versions && !isWithin(report.versions[product], range));

export const tierOf = (entry, place, hit, report) => {
  if (hit.generic) return Tier.RETRIEVED;
  const { root } = report;
  if (entry.role === "wrapper") {
    const itself = root && place === Place.ROOT && entry.exceptions.includes(root.type);
    return !root || isWrapper(root) || isWarning(root) || itself ? Tier.WRAPPER : Tier.RETRIEVED;
  }
  return place === Place.ROOT ? Tier.ROOT : Tier.ELSEWHERE;
};

// Features of an entry that need no search: exception type, libraries, versions.
const contextOf = (entry, report, seen, foreign) => {
  const { root } = report;
  const typed = Boolean(root) && !isWrapper(root) && entry.exceptions.length > 0;
  return {
    bias: 1,
    unmatched: Number(entry.kind === "error" && !report.isQuestion),
    type_differs: Number(typed && !entry.exceptions.includes(root.type)),
    product_seen: Number(entry.products.some((product) => seen.has(product))),
    foreign: Number(foreign),
    version_differs: Number(versionDiffers(entry, report)),
    wrapper: Number(entry.role === "wrapper"),
    error: Number(entry.kind === "error"),
  };
};

const shares = (scores) => {
  const best = Math.max(...scores);
  return best > 0 ? scores.map((score) => score / best) : scores;
};

// Features of every entry that is found by words.
export const retrievalFeatures = (report, tokens, head, body) => {
  const seen = new Set([...report.libraries, ...tokens]);
  const foreign = report.libraries.size > 0 && ![...report.libraries].some((library) => knownProducts.has(library));
  const [headShare, bodyShare] = [shares(head.scores), shares(body.scores)];
  return entries.map((entry, position) => ({
    ...contextOf(entry, report, seen, foreign),
    head_coverage: head.coverage[position],
    body_coverage: body.coverage[position],
    // Something always stands first: that counts for little when it covers little of what was asked.
    head_share: headShare[position] * Math.min(1, head.coverage[position] / COVERED),
    body_share: bodyShare[position] * Math.min(1, body.coverage[position] / COVERED),
  }));
};

const confidenceOf = (candidate) => {
  if (candidate.tier !== Tier.RETRIEVED) return coefficients.signature[SIGNED[candidate.tier]];
  const weights = Object.entries(coefficients.retrieval);
  const logit = weights.reduce((sum, [name, weight]) => sum + weight * (candidate.features[name] ?? 0), 0);
  const probability = 1 / (1 + Math.exp(-Math.max(-30, Math.min(30, logit))));
  const generic = candidate.features.generic && !candidate.features.foreign;
  return generic ? Math.max(probability, GENERIC_CONFIDENCE) : probability;
};

// Best first: by tier, errors before warnings, confidence, the version that the log shows, length of the match, and id.
export const rank = (candidates) => {
  const ranked = candidates.map((candidate) => ({ candidate, confidence: confidenceOf(candidate) }));
  return sortedBy(ranked, ({ candidate, confidence }) => [
    -candidate.tier,
    Boolean(candidate.features.aside),
    -Math.round(confidence * 1e6),
    Boolean(candidate.features.version_differs),
    -(candidate.hit?.length ?? 0),
    candidate.entry.id,
  ]);
};

// The verdict, and the candidates that are worth showing.
export const statusOf = (ranked, report) => {
  const shown = ranked.filter((item) => item.candidate.tier > Tier.RETRIEVED || item.confidence >= coefficients.candidates);
  if (!shown.length) return ["no_match", []];
  const [first, second] = shown;
  let sure = first.confidence >= coefficients.match;
  if (first.candidate.features.aside && report.errorLines.some((line) => !report.isAside(line.number))) {
    // A warning is the only thing known, and the log goes on to complain of something else.
    sure = false;
  }
  if (first.candidate.tier === Tier.ELSEWHERE) sure = false;
  else if (first.candidate.tier === Tier.RETRIEVED) {
    const alike = second !== undefined && first.confidence - second.confidence < CLEAR_LEAD;
    sure = sure && report.isQuestion && !alike;
  }
  return [sure ? "match" : "candidates", shown];
};
