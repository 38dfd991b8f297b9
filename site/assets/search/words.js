// Cuts a query into the words of the index, as `terms` of searchindex.py cuts a page: names whole and split,
// Chinese as overlapping pairs of Simplified characters. A test compares the two.
"use strict";

const words = (() => {
  const WORD = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|\d+(?:\.\d+)*|[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+/g;
  const QUALIFIED = /[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+/g;
  const EDGED = /(?<![\p{L}\p{N}_])(?:_+\w*[A-Za-z]\w*|\w*[A-Za-z]\w*_+)(?![\p{L}\p{N}_])/gu;
  const HAN = /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/;
  const CAMEL = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;
  const STOP = new Set(
    ("a an and are as at be been but by for from had has have i in is it its me my not of on or so that the their then there " +
      "this to was we were what when which while will with you your do does did how why can just am if").split(" "),
  );
  const STOP_HAN = new Set("的了是在我有和就不也都吗呢啊这那个么怎请问为什很把被时到会要用");

  const stem = (token) => {
    if (!/^[A-Za-z]+$/.test(token) || token.length < 5) return token;
    for (const ending of ["ing", "ed", "es", "s"]) {
      if (token.endsWith(ending) && token.length - ending.length >= 4 && !token.endsWith("ss")) {
        return token.slice(0, -ending.length);
      }
    }
    return token;
  };

  const codeTokens = (word) => {
    const tokens = [word.toLowerCase()];
    for (const part of word.split(".")) {
      const pieces = part.split("_").flatMap((chunk) => chunk.match(CAMEL) ?? []);
      if (part !== word) tokens.push(part.toLowerCase());
      if (pieces.length > 1) tokens.push(...pieces.filter((piece) => piece.length > 1).map((piece) => piece.toLowerCase()));
    }
    return tokens.filter((token) => !STOP.has(token)).map(stem);
  };

  const hanTokens = (run) => {
    const pairs = run.length < 2 ? [run] : Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2));
    return pairs.filter((pair) => !(STOP_HAN.has(pair[0]) && STOP_HAN.has(pair.at(-1))));
  };

  /** Traditional characters replaced by Simplified ones; `table` holds both as strings of the same length. */
  const folder = ([from, to]) => {
    const map = new Map(Array.from(from, (character, at) => [character, to[at]]));
    return (text) => text.replace(/[\u4e00-\u9fff]/g, (character) => map.get(character) ?? character);
  };

  /** The words of a folded text, each with the terms it stands for. */
  const split = (text) => {
    const whole = Array.from(text.matchAll(QUALIFIED), ([name]) => ({ word: name, terms: [name.toLowerCase()] }));
    const bare = Array.from(text.matchAll(EDGED), ([name]) => ({
      word: name,
      terms: [name.toLowerCase().replace(/^_+|_+$/g, "")],
    }));
    const plain = Array.from(text.matchAll(WORD), ([word]) => ({
      word,
      terms: HAN.test(word) ? hanTokens(word) : codeTokens(word),
    }));
    return [...whole, ...bare, ...plain];
  };

  return { folder, split };
})();
