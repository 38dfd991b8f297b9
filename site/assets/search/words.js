// Cuts a query into the words of the index, as `terms` of searchindex.py cuts a page. A test compares the two.
import { revive } from "./pattern.js";
import { tokenizer } from "./tokens.js";

// Traditional characters replaced by Simplified ones; `table` holds both as strings of the same length.
export const folder = ([from, to]) => {
  const map = new Map(Array.from(from, (character, at) => [character, to[at]]));
  return (text) => text.replace(/[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/g, (character) => map.get(character) ?? character);
};

// The words of a folded text, each with the terms it stands for.
export const cutter = (constants) => {
  const { EDGED, QUALIFIED, ...rest } = revive(constants);
  const splitWords = tokenizer(rest);
  return (text) => {
    const whole = QUALIFIED.findall(text).map(([name]) => ({ word: name, terms: [name.toLowerCase()] }));
    const bare = EDGED.findall(text).map(([name]) => ({ word: name, terms: [name.toLowerCase().replace(/^_+|_+$/g, "")] }));
    return [...whole, ...bare, ...splitWords(text).map(({ word, tokens }) => ({ word, terms: tokens }))];
  };
};
