// Chinese folded to one script; mirrors errdex.language.
import { constantsOf, knowledge } from "./knowledge.js";

export const { HAN } = constantsOf.language;

const pairs = [...knowledge.simplified];
const simplified = new Map(pairs.flatMap((character, i) => (i % 2 ? [] : [[character, pairs[i + 1]]])));

export const toSimplified = (text) =>
  HAN.search(text) ? Array.from(text, (character) => simplified.get(character) ?? character).join("") : text;
