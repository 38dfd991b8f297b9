// Which lines of a long log are read; mirrors errdex.salience.
import { constantsOf } from "./knowledge.js";

const { AFTER, ALIKE, BEFORE, COMPARED, HEAD, LONG, MOST, NUMBER, REPEATED, STRUCTURE, TAIL, WORDS } = constantsOf.salience;
const words = new RegExp(WORDS);

// Positions of the lines that are read, in order.
export const worthReading = (lines) => {
  if (lines.length <= LONG) return [...lines.keys()];
  const chosen = new Set();
  const choose = (from, to) => {
    for (let position = Math.max(from, 0); position < Math.min(to, lines.length); position += 1) chosen.add(position);
  };
  choose(0, HEAD);
  choose(lines.length - TAIL, lines.length);
  const alike = new Map();
  let looked = 0;
  for (let position = 0; position < lines.length && chosen.size < MOST && looked < MOST; position += 1) {
    if (!words.test(lines[position])) continue;
    looked += 1;
    const line = lines[position].slice(0, COMPARED);
    const shape = line.replace(NUMBER.every, "0");
    alike.set(shape, (alike.get(shape) ?? 0) + 1);
    if (alike.get(shape) > (STRUCTURE.search(line) === null ? ALIKE : REPEATED)) continue;
    choose(position - BEFORE, position + AFTER + 1);
  }
  return [...chosen].sort((a, b) => a - b);
};
