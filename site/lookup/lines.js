// Raw text becomes clean lines; mirrors errdex.lines.
import { constantsOf } from "./knowledge.js";
import { worthReading } from "./salience.js";

const { ANSI, BAR, CONTROL, GROUP_TREE, LABEL, MAX_LINE, MAX_PIECES, PREFIXES, RICH_BOX, WARNED } = constantsOf.lines;
const indentOf = (text) => text.length - text.replace(/^ +/, "").length;

// A log that travelled inside JSON has its line ends written out.
const unescape = (text) => {
  const count = (what) => text.split(what).length - 1;
  const escaped = count("\\n") >= 2 && count("\n") <= 1;
  if (!escaped || !(text.includes("File \\") || text.includes('File "') || text.includes("Error"))) return text;
  return text.replaceAll("\\r\\n", "\n").replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll('\\"', '"');
};

// The host or container name that a launcher put before every line, if it did.
const sharedLabel = (lines) => {
  const labels = new Map();
  for (const line of lines) {
    const match = LABEL.match(line);
    if (match) labels.set(match[1], (labels.get(match[1]) ?? 0) + 1);
  }
  const filled = lines.filter((line) => line.trim()).length;
  let best = null;
  for (const [label, count] of labels) if (!best || count > best[1]) best = [label, count];
  if (!best || best[1] < 3 || best[1] < 0.6 * filled) return null;
  return ["Error", "Exception", "Warning"].some((ending) => best[0].endsWith(ending)) ? null : best[0];
};

const stripPrefixes = (whole) => {
  let rank = null;
  let text = whole;
  // A prefix stands at the very start; indented text is code, a frame or a box.
  if (indentOf(text) > 1) return [rank, text];
  for (let round = 0; round < 6; round += 1) {
    const stripped = text[0] === " " && text.length > 1 && text[1] !== " " ? text.slice(1) : text;
    const match = PREFIXES.reduce((found, prefix) => found ?? prefix.match(stripped), null);
    if (!match) break;
    if (match.groups?.rank !== undefined) rank = Number(match.groups.rank);
    text = stripped.slice(match[0].length);
  }
  return [rank, text];
};

const isWarned = (text) => (text.includes("WARN") || text.slice(0, 24).includes("W")) && Boolean(WARNED.match(text));

// What a line held before each return of the carriage: a progress bar's first states, and its last ones.
const overwritten = (whole) => {
  const pieces = whole.slice(0, MAX_LINE * 4).split("\r");
  return pieces.length <= MAX_PIECES ? pieces : [...pieces.slice(0, MAX_PIECES / 4), ...pieces.slice((-3 * MAX_PIECES) / 4)];
};

// {number, rank, text, warned} of each line; blank ones kept, since they end messages.
export const cleanLines = (text) => {
  const plain = text.includes("\x1b") ? ANSI.sub("", text)[0] : text;
  const raw = unescape(CONTROL.sub("", plain.replaceAll("\r\n", "\n"))[0]).split("\n");
  const read = worthReading(raw);
  const label = sharedLabel(read.map((position) => raw[position].slice(0, 200)));
  const cleaned = [];
  let inGroup = false;
  read.forEach((position) => {
    const [number, whole] = [position + 1, raw[position]];
    const pieces = whole.includes("\r") ? overwritten(whole) : [whole];
    for (let piece of pieces) {
      if (label && piece.startsWith(`${label}: `)) piece = piece.slice(label.length + 2);
      for (let bar = BAR.match(piece); bar; bar = BAR.match(piece)) {
        const told = [bar.groups.label, bar.groups.figures].map((part) => part?.trim()).filter(Boolean);
        cleaned.push(...told.map((part) => ({ number, rank: null, text: part, warned: false })));
        piece = piece.slice(bar[0].length);
      }
      let [rank, content] = stripPrefixes(piece.slice(0, MAX_LINE).trimEnd());
      if (content.includes("Exception Group Traceback")) inGroup = true;
      const tree = inGroup ? GROUP_TREE.match(content) : null;
      if (tree) {
        const rest = content.slice(tree[0].length);
        content = tree[0].includes("---") ? rest.replace(/^[+-]+|[+-]+$/g, "") : rest;
      } else if (/^ {0,5}[│┃]/.test(content)) {
        const box = RICH_BOX.match(content);
        if (box) content = box[1].trimEnd();
      }
      const goesOn = cleaned.length > 0 && cleaned.at(-1).warned && content.startsWith("  ");
      cleaned.push({ number, rank, text: content, warned: goesOn || isWarned(piece) });
    }
  });
  return cleaned;
};
