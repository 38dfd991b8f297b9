// Reads a pasted text: which error it is about, what followed from it, which versions and libraries it names; mirrors
// errdex.report.
import { constantsOf } from "./knowledge.js";
import { HAN } from "./language.js";
import { cleanLines } from "./lines.js";
import { sortedBy } from "./pattern.js";
import { findExceptions, headlineOf } from "./tracebacks.js";

const {
  ASKING, CASCADE_MESSAGE, CASCADE_TYPES, DIGITS, ERROR_WORD, FRAME_PATH, HAN_ASKING, MAX_QUERY, NOISE, PROGRAM, PROSE_LINES,
  PYTHON, ROOT_SUMMARY, VERSION, VERSION_NAMES, WRAPPER_MESSAGE, WRAPPER_TYPES,
} = constantsOf.report;
const { CRASHES } = constantsOf.tracebacks;
const wrapperTypes = new Set(WRAPPER_TYPES);
const cascadeTypes = new Set(CASCADE_TYPES);

export const isWrapper = (raised) => wrapperTypes.has(raised.type) || Boolean(WRAPPER_MESSAGE.search(raised.message.slice(0, 300)));
export const isWarning = (raised) => raised.ignored || raised.type.endsWith("Warning");
const isCascade = (raised) => cascadeTypes.has(raised.type) || Boolean(CASCADE_MESSAGE.search(raised.message.slice(0, 600)));
const isSuperseded = (raised) => raised.link === "context" || (raised.link === "cause" && !raised.message);

// The rank that torchrun's summary names, else the rank of the first failure that is no mere echo.
const firstFailingRank = (lines, raised) => {
  let inSummary = false;
  for (const line of lines) {
    if (line.text.includes("Root Cause (first observed failure)")) inSummary = true;
    else if (inSummary) {
      const match = ROOT_SUMMARY.match(line.text);
      if (match) return Number(match[1]);
    }
  }
  const ranked = raised.filter((item) => item.rank !== null && !isWrapper(item) && !isWarning(item));
  const own = ranked.filter((item) => !isCascade(item));
  const first = (own.length ? own : ranked).reduce((best, item) => (best && best.line <= item.line ? best : item), null);
  return first ? first.rank : null;
};

// Root first, each later one with the reason why it is not the root.
const order = (lines, raised) => {
  const firstRank = firstFailingRank(lines, raised);
  const ordered = sortedBy(raised, (item) => [
    isWarning(item),
    isWrapper(item),
    item.rank !== null && firstRank !== null && item.rank !== firstRank,
    isCascade(item),
    !item.message && !item.frames.length,
    isSuperseded(item),
    item.line,
  ]);
  const [root, ...others] = ordered;
  const reasons = others.map((item) => {
    if (isWrapper(item)) return "wrapper";
    if (item.rank !== null && item.rank !== root.rank) return "later-rank";
    return item.link !== null || (root.link !== null && item.line > root.line) ? "context" : "later";
  });
  return [ordered, reasons];
};

// Lines with error words, most words first, then as they stand; source code and frames left out.
const errorLines = (lines) => {
  const scored = new Map();
  lines.forEach((line, position) => {
    const text = line.text.trim();
    if (text.length < 4 || NOISE.match(line.text) || text.startsWith("File ") || text.startsWith("frame #")) return;
    const words = new Set(ERROR_WORD.findall(text.slice(0, 600)).map(([word]) => word.toLowerCase()));
    const [shape] = DIGITS.sub("0", text.slice(0, 160));
    if (!words.size || scored.has(shape)) return;
    const folded = text.toLowerCase();
    const warning = folded.startsWith("warning") || folded.startsWith("warn ") || text.includes("Warning:");
    scored.set(shape, { key: [-words.size + (warning ? 2 : 0), position], line });
  });
  return sortedBy([...scored.values()], (item) => item.key).map((item) => item.line);
};

const versionsIn = (text) => {
  const found = {};
  for (const { groups } of VERSION.findall(text)) {
    const name = groups.product.toLowerCase();
    found[VERSION_NAMES[name] ?? name] ??= groups.version;
  }
  const python = PYTHON.search(text);
  if (python) found.python ??= python.groups.version;
  return found;
};

const once = (object, name, value) => Object.defineProperty(object, name, { value })[name];

export class Report {
  constructor(lines, exceptions, reasons, errors, text) {
    Object.assign(this, { lines, exceptions, reasons, errorLines: errors });
    this.versions = versionsIn(text);
    this.libraries = new Set(FRAME_PATH.findall(text).map(([, name]) => name.toLowerCase()));
    this.root = exceptions[0] ?? null;
  }

  // The root, then each exception that was raised directly from the one before.
  get chain() {
    const chain = this.exceptions.slice(0, 1);
    for (const raised of sortedBy(this.exceptions.slice(1), (item) => item.line)) {
      const last = chain.at(-1);
      if (last.link === "cause" && raised.line > last.line && raised.rank === last.rank) chain.push(raised);
    }
    return chain;
  }

  // Whether a line only warns.
  isAside(number) {
    return this.warned.has(number) || this.exceptions.some((r) => isWarning(r) && r.start <= number && number <= r.end);
  }

  get warned() {
    return once(this, "warned", new Set(this.lines.filter((line) => line.warned).map((line) => line.number)));
  }

  // Lines that a person wrote: Chinese, or prose in a text without any program output.
  get ownWords() {
    const texts = this.lines.map((line) => line.text);
    const words = texts.filter((text) => HAN.search(text) && !FRAME_PATH.search(text));
    if (!words.length && !this.exceptions.length) words.push(...texts.slice(0, 8).filter((text) => text.trim()));
    return once(this, "ownWords", words);
  }

  // Whether it is a person's own words rather than a program's: then no signature can be expected in it.
  get isQuestion() {
    const { root } = this;
    if (root && !root.quoted && !CRASHES.includes(root.type)) {
      return !root.frames.length && HAN.findall(root.message).length >= HAN_ASKING;
    }
    const words = this.ownWords.join(" ");
    const asking = new Set(ASKING.findall(words.toLowerCase()).map(([word]) => word));
    if (words.includes("?") || words.includes("？") || asking.size >= 2 || HAN.findall(words).length >= HAN_ASKING) return true;
    const filled = this.lines.map((line) => line.text).filter((text) => text.trim());
    const prose = filled.filter((text) => text.trim().split(/\s+/).length >= 3 && !PROGRAM.search(text));
    return filled.length <= PROSE_LINES && 2 * prose.length > filled.length;
  }

  // The one line that says most: the root exception, else the most telling error lines, else the text.
  get headline() {
    const { root } = this;
    if (root?.message && !isWrapper(root)) {
      const head = headlineOf(root);
      // A first line that only announces (`… because of the following error:`) says nothing by itself.
      const announces = head.length < 60 || head.endsWith(":") || head.endsWith(")");
      const more = announces ? root.message.split("\n").slice(1, 3) : [];
      return [head, ...more.map((part) => part.trim())].join(" ").slice(0, MAX_QUERY);
    }
    if (this.errorLines.length) {
      return this.errorLines.slice(0, 2).map((line) => line.text.trim()).join(" ").slice(0, MAX_QUERY);
    }
    if (root) return headlineOf(root).slice(0, MAX_QUERY);
    const texts = this.lines.map((line) => line.text.trim()).filter(Boolean);
    return texts.join(" ").slice(0, MAX_QUERY);
  }

  // What to look for in words: the person's own words and the headline, without saying anything twice.
  get question() {
    const { headline } = this;
    const words = this.ownWords.map((word) => word.trim()).join(" ").slice(0, MAX_QUERY);
    return words.includes(headline) ? words : `${words} ${headline}`.trim().slice(0, 2 * MAX_QUERY);
  }
}

export const readReport = (text) => {
  const lines = cleanLines(text);
  const [raised, reasons] = order(lines, findExceptions(lines));
  const inconclusive = raised.every((item) => isWarning(item) || isWrapper(item) || item.quoted);
  const cleaned = lines.map((line) => line.text).join("\n");
  return new Report(lines, raised, reasons, inconclusive ? errorLines(lines) : [], cleaned);
};
