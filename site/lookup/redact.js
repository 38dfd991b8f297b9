// Takes secrets and personal parts out of a text; mirrors errdex.redact.
import { constantsOf } from "./knowledge.js";

const {
  AFTER_SCHEME, AFTER_VERSION, ALL_SAME, BEFORE_PORT, BLOCK, CODE, COLOUR, CONTEXT, DIGIT, HAS_LETTER, LETTERS, LOCAL, MACHINE, MARK,
  MARKER, NEUTRAL_HOST, PRIVATE_KEY, QUOTES, RULES, TOKEN,
} = constantsOf.redact;

const isQuoted = (found) => QUOTES.includes(found.at(-1));
const isValue = (found, behind) => !CODE.match(found) && (behind === "" || !"([{<".includes(behind[0]));
const isPassword = (found, _, behind) => (isQuoted(found) ? !MARKER.match(found) : isValue(found, behind));

const CHECKS = {
  address: (found, before) =>
    !LOCAL.some((start) => found.startsWith(start)) &&
    found.split(".").every((part) => Number(part) <= 255) &&
    !AFTER_VERSION.search(before),
  mac: (found) => HAS_LETTER.search(found) !== null && !ALL_SAME.fullmatch(found),
  domain: (found, before, behind) =>
    !found.startsWith("localhost.") &&
    Boolean(MACHINE.search(found) || AFTER_SCHEME.search(before) || BEFORE_PORT.search(behind)),
  host: (found) => !NEUTRAL_HOST.fullmatch(found),
  prompt: (found) => found !== "user@host",
  luhn: (found) => {
    const digits = [...found].filter((character) => character >= "0" && character <= "9").map(Number).reverse();
    const sum = digits.reduce((total, digit, place) => {
      const counted = place % 2 ? 2 * digit : digit;
      return total + Math.floor(counted / 10) + (counted % 10);
    }, 0);
    return sum % 10 === 0;
  },
  secret: (found, _, behind) => {
    if (isQuoted(found)) return found.length >= 8 && !MARKER.match(found);
    return found.length >= 8 && isValue(found, behind) && Boolean(DIGIT.search(found) || LETTERS.fullmatch(found));
  },
  token: (found, _, behind) => {
    const value = found.replace(/^[b\\"']+|[b\\"']+$/g, "");
    return value.length >= 16 && Boolean(TOKEN.fullmatch(value) && DIGIT.search(value)) && isValue(value, behind);
  },
  password: isPassword,
  marked: (found, before, behind) => isPassword(found, before, behind) && (isQuoted(found) || MARK.search(found) !== null),
};

const stands = ({ shape, needle }, text, folded) => folded.includes(needle) && shape.search(text) !== null;

const without = ({ shape, replacement, check }, text) => {
  if (!check) return shape.sub(replacement, text);
  let removed = 0;
  const [left] = shape.sub((match) => {
    const [whole, kept = ""] = match;
    const end = match.index + whole.length;
    const before = text.slice(Math.max(0, match.index - CONTEXT), match.index);
    if (!CHECKS[check](whole.slice(kept.length), before, text.slice(end, end + CONTEXT))) return whole;
    removed += 1;
    return replacement.replace("\\1", () => kept);
  }, text);
  return [left, removed];
};

const blocksOf = (text) => {
  const blocks = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start + BLOCK) + 1 || text.length;
    blocks.push(text.slice(start, end));
    start = end;
  }
  return blocks;
};

export const redact = (text) => {
  let left = text.includes("\x1b") ? COLOUR.sub("", text)[0] : text;
  const folded = left.toLowerCase();
  const possible = RULES.filter((rule) => stands(rule, left, folded));
  let removed = 0;
  if (stands(PRIVATE_KEY, left, folded)) {
    [left, removed] = PRIVATE_KEY.shape.sub(([key]) => PRIVATE_KEY.replacement + "\n".repeat(key.split("\n").length - 1), left);
  }
  if (!possible.length) return { text: left, removed };
  const blocks = blocksOf(left).map((block) => {
    const foldedBlock = block.toLowerCase();
    return possible
      .filter((rule) => stands(rule, block, foldedBlock))
      .reduce((rest, rule) => {
        const [replaced, count] = without(rule, rest);
        removed += count;
        return replaced;
      }, block);
  });
  return { text: blocks.join(""), removed };
};
