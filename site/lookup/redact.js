// Takes secrets and personal parts out of a text; mirrors errdex.redact.
import { constantsOf } from "./knowledge.js";

const { AFTER_VERSION, IPV4, LOCAL, RULES } = constantsOf.redact;

const redactAddresses = (text) => {
  let removed = 0;
  const [left] = IPV4.sub((match) => {
    const [address] = match;
    const before = text.slice(Math.max(0, match.index - 12), match.index);
    const kept = LOCAL.some((start) => address.startsWith(start)) || address.split(".").some((part) => Number(part) > 255);
    if (kept || AFTER_VERSION.search(before)) return address;
    removed += 1;
    return "<ip>";
  }, text);
  return { text: left, removed };
};

export const redact = (text) => {
  const folded = text.toLowerCase();
  let removed = 0;
  let left = text;
  for (const [needles, pattern, replacement] of RULES) {
    if (!needles.some((needle) => folded.includes(needle))) continue;
    const [replaced, count] = pattern.sub(replacement, left);
    left = replaced;
    removed += count;
  }
  const addresses = redactAddresses(left);
  return { text: addresses.text, removed: removed + addresses.removed };
};
