// The exact stage: which known wordings stand in a text, and where; mirrors errdex.signatures.
//
// JavaScript has no set of patterns that is searched in one pass. So the text is read once for needles, words without which
// a pattern cannot match, and a pattern is tried only on lines that hold one of its own.
import { constantsOf, knowledge } from "./knowledge.js";
import { compareKeys, sortedBy } from "./pattern.js";

const { BLANKS, CONTEXT, MAX_PLACES, TYPED } = constantsOf.signatures;
const typed = new Map(Object.entries(TYPED).map(([from, to]) => [Number(from), String.fromCodePoint(to)]));
const GRAM = 4; // characters of a needle that are looked up at each place of the text
const BITS = 16;

class Needles {
  constructor(signatures) {
    this.places = new Map();
    this.seen = new Uint8Array(1 << BITS);
    signatures.forEach(({ needles }, signature) => {
      for (const needle of needles) {
        const gram = needle.slice(0, GRAM);
        if (!this.places.has(gram)) this.places.set(gram, []);
        this.places.get(gram).push({ needle, signature });
        let hash = 0;
        for (let i = 0; i < GRAM; i += 1) hash = this.next(hash, gram.charCodeAt(i));
        this.seen[this.slot(hash)] = 1;
      }
    });
  }

  next(hash, code) {
    return ((hash << 8) | (code & 0xff)) | 0;
  }

  slot(hash) {
    return Math.imul(hash, 0x9e3779b1) >>> (32 - BITS);
  }

  // Calls `found(signature)` for each needle in the text, in lower case.
  scan(text, found) {
    let hash = 0;
    for (let i = 0; i < text.length; i += 1) {
      hash = this.next(hash, text.charCodeAt(i));
      if (i < GRAM - 1 || !this.seen[this.slot(hash)]) continue;
      const start = i - GRAM + 1;
      for (const { needle, signature } of this.places.get(text.slice(start, i + 1)) ?? []) {
        if (text.startsWith(needle, start)) found(signature);
      }
    }
  }
}

const needles = new Needles(knowledge.signatures);
const compiled = new Map();

const patternOf = (number) => {
  if (!compiled.has(number)) {
    const { pattern, flags } = knowledge.signatures[number];
    compiled.set(number, new RegExp(pattern, `${flags}g`));
  }
  return compiled.get(number);
};

const hitOf = (signature, unit, match) => ({
  position: signature.entry,
  generic: signature.generic,
  line: unit.line,
  text: unit.text.trim().slice(0, CONTEXT),
  length: match[0].length,
  captures: Object.fromEntries(Object.entries(match.groups ?? {}).filter(([, value]) => value)),
});

// How much a hit says, among those in one place: specific, longest, with the most values.
export const worthOf = (hit) => [!hit.generic, hit.length, Object.keys(hit.captures).length];

const lineHits = (number, units) => {
  const pattern = patternOf(number);
  const hits = [];
  for (const unit of units) {
    pattern.lastIndex = 0;
    const match = pattern.exec(unit.text);
    if (match) hits.push(hitOf(knowledge.signatures[number], unit, match));
    if (hits.length === MAX_PLACES) break;
  }
  return hits;
};

const multilineHits = (number, units, whole, starts) => {
  const found = new Map();
  for (const match of whole.matchAll(patternOf(number))) {
    let unit = 0;
    while (unit + 1 < starts.length && starts[unit + 1] <= match.index) unit += 1;
    if (!found.has(unit)) found.set(unit, hitOf(knowledge.signatures[number], units[unit], match));
    if (found.size === MAX_PLACES) break;
  }
  return [...found.values()];
};

// Every place where a signature stands, by line, then by entry.
export const searchSignatures = (units) => {
  const holders = new Map(); // signature -> units that hold one of its needles
  const hold = (signature, unit) => {
    const known = holders.get(signature);
    if (!known) holders.set(signature, [unit]);
    else if (known.at(-1) !== unit) known.push(unit);
  };
  for (const unit of units) needles.scan(unit.text.toLowerCase(), (signature) => hold(signature, unit));
  let joined = null;
  const hits = new Map();
  knowledge.signatures.forEach((signature, number) => {
    const held = signature.needles.length ? holders.get(number) : units;
    if (!held) return;
    if (signature.multiline && !joined) {
      let length = 0;
      const starts = units.map((unit) => (length += unit.text.length + 1) - unit.text.length - 1);
      joined = [units.map((unit) => unit.text).join("\n"), starts];
    }
    const found = signature.multiline ? multilineHits(number, units, ...joined) : lineHits(number, held);
    for (const hit of found) {
      const place = `${hit.position} ${hit.line} ${hit.text}`;
      const known = hits.get(place);
      if (!known || compareKeys(worthOf(hit), worthOf(known)) > 0) hits.set(place, hit);
    }
  });
  return sortedBy([...hits.values()], (hit) => [hit.line, hit.position]);
};

// Full-width letters and marks, curly quotes and runs of blanks as a program would have printed them.
const plain = (text) => {
  const narrow = /[^\x00-\x7f]/.test(text) ? Array.from(text, (c) => typed.get(c.codePointAt(0)) ?? c).join("") : text;
  return BLANKS.sub(" ", narrow)[0].trim();
};

// What to search: each line, each exception's `Type: message` joined to one line, and both as a person may have typed them.
export const unitsOf = (lines, messages) => {
  const units = lines.filter((line) => line.text.trim()).map((line) => ({ line: line.number, text: line.text }));
  const seen = new Set(units.map((unit) => unit.text.trim()));
  const joined = messages.map(([line, message]) => ({ line, text: message.split("\n").map((part) => part.trim()).join(" ") }));
  units.push(...joined.filter((unit) => !seen.has(unit.text)));
  const retyped = units.map((unit) => ({ line: unit.line, text: plain(unit.text), was: unit.text.trim() }));
  return units.concat(retyped.filter((unit) => unit.text && unit.text !== unit.was).map(({ line, text }) => ({ line, text })));
};
