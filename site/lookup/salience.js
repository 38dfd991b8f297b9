// Which lines of a long log are read; mirrors errdex.salience.
import { constantsOf } from "./knowledge.js";

const { AFTER, BEFORE, HEAD, LONG, MOST, TAIL, WORDS } = constantsOf.salience;
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
  for (let position = 0; position < lines.length && chosen.size < MOST; position += 1) {
    if (words.test(lines[position])) choose(position - BEFORE, position + AFTER + 1);
  }
  return [...chosen].sort((a, b) => a - b);
};
