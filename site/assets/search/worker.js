// Answers the theme's search box from the index that the build made: it speaks the small protocol of the theme's own
// worker (SETUP, READY, QUERY, RESULT). Whatever is shown is escaped here: the theme sets it as HTML.
"use strict";

// The theme starts a classic worker; it waits for its modules before it answers anything.
const loading = import("./words.js");

const SETUP = 0;
const READY = 1;
const QUERY = 2;
const RESULT = 3;
const MOST_RESULTS = 30;
const LEAST_SHARE = 0.12; // of the best score; what comes below shares a common word and no more
const PREFIX_WEIGHT = 0.6; // a word that is still being typed says less than a whole one
const LONGER_WEIGHT = 0.25; // and where it is a whole one already, longer ones say less still
const COVERAGE_SHARE = 0.4; // of the score; what holds all of the query comes before what repeats a part of it
const MOST_PREFIXES = 40;

let index;

const escaped = (text) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

const setUp = ({ config, docs }, { cutter, folder }) => {
  const { terms, fold, numbers, words } = config.index;
  const postings = new Map();
  for (const line of terms.split("\n")) {
    const space = line.indexOf(" ");
    postings.set(line.slice(0, space), line.slice(space + 1));
  }
  index = { postings, names: [...postings.keys()], fold: folder(fold), split: cutter(words), docs: new Map() };
  numbers.forEach((number, at) => index.docs.set(number, docs[at]));
};

/** What a term says of each document: a step from the last document and a letter for each. */
const impacts = (term) => {
  const found = new Map();
  let number = 0;
  for (const [, step, letter] of (index.postings.get(term) ?? "").matchAll(/(\d+)([A-Z])/g)) {
    number += Number(step);
    found.set(number, letter.charCodeAt(0) - 64);
  }
  return found;
};

/** The best that any term with this beginning says of each document. */
const begun = (start) => {
  const found = new Map();
  const share = index.postings.has(start) ? LONGER_WEIGHT : PREFIX_WEIGHT;
  const names = index.names.filter((name) => name.startsWith(start) && name !== start).slice(0, MOST_PREFIXES);
  for (const name of names) {
    for (const [number, impact] of impacts(name)) {
      found.set(number, Math.max(found.get(number) ?? 0, impact * share));
    }
  }
  return found;
};

const better = (one, other) => {
  const merged = new Map(one);
  for (const [number, impact] of other) merged.set(number, Math.max(merged.get(number) ?? 0, impact));
  return merged;
};

/** How rare a term is; a term that no page holds says nothing. */
const rarity = (term) => {
  const found = impacts(term).size;
  return found && Math.log1p((index.docs.size - found + 0.5) / (found + 0.5));
};

/** Scores per document, and which of the words each holds. */
const rank = (folded) => {
  const found = index.split(folded);
  const last = found.at(-1);
  const isTyping = last && folded.endsWith(last.word);
  const scores = new Map();
  const asked = new Set();
  for (const item of found) {
    item.terms.forEach((term, at) => {
      if (asked.has(term)) return;
      asked.add(term);
      const canGrow = isTyping && item.word === last.word && at === 0 && (item.terms.length === 1 || /^\w/.test(term));
      const said = canGrow ? better(impacts(term), begun(term)) : impacts(term);
      for (const [number, impact] of said) {
        const score = scores.get(number) ?? { sum: 0, held: new Set() };
        score.sum += impact;
        score.held.add(term);
        scores.set(number, score);
      }
    });
  }
  const weights = new Map(Array.from(asked, (term) => [term, rarity(term)]));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0) || 1;
  for (const score of scores.values()) {
    const covered = [...score.held].reduce((sum, term) => sum + weights.get(term), 0) / total;
    score.sum *= 1 - COVERAGE_SHARE + COVERAGE_SHARE * covered;
  }
  return { scores, found };
};

/** The text as HTML, with the words of the query marked; folding keeps the length, so places stay the same. */
const marked = (text, surfaces) => {
  const folded = index.fold(text).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const held = new Set();
  for (const word of surfaces) {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + 1)) {
      for (let place = at; place < at + word.length; place += 1) held.add(place);
    }
  }
  let html = "";
  for (let at = 0, end = 0; at < text.length; at = end) {
    while (end < text.length && held.has(end) === held.has(at)) end += 1;
    const part = escaped(text.slice(at, end));
    html += held.has(at) ? `<mark>${part}</mark>` : part;
  }
  return html;
};

/** Markdown's code spans as HTML, its stress left out, everything else as text. */
const prose = (text, surfaces) =>
  text
    .split("`")
    .map((part, at) =>
      at % 2 ? `<code>${marked(part, surfaces)}</code>` : marked(part.replace(/(\*+)(\S(?:[^*]*\S)?)\1/g, "$2"), surfaces),
    )
    .join("");

/** The words of the query as they were typed, and whether a document holds them; Chinese whole first, then in pairs. */
const wordsHeld = (query, folded, found, held) => {
  const terms = {};
  const typed = (word) => query.slice(folded.indexOf(word), folded.indexOf(word) + word.length);
  for (const { word, terms: own } of found) {
    if (/^[\w.:]/.test(word)) {
      terms[word] = own.some((term) => held.has(term)) || !own.length;
    } else {
      if (own.every((pair) => held.has(pair))) terms[typed(word)] = true;
      for (const pair of own) if (held.has(pair)) terms[typed(pair)] = true;
    }
  }
  return terms;
};

const search = (query) => {
  const folded = index.fold(query);
  const { scores, found } = rank(folded);
  const ranked = [...scores]
    .filter(([number]) => index.docs.has(number))
    .sort(([first, one], [second, other]) => other.sum - one.sum || first - second);
  const least = (ranked[0]?.[1].sum ?? 0) * LEAST_SHARE;
  const surfaces = found
    .flatMap(({ word, terms }) => (/^[\w.:]/.test(word) ? [word.toLowerCase()] : terms))
    .filter((word) => word.length > 1);
  return ranked
    .filter(([, { sum }]) => sum >= least)
    .slice(0, MOST_RESULTS)
    .map(([number, { sum, held }]) => {
      const { location, title, text } = index.docs.get(number);
      const terms = wordsHeld(query, folded, found, held);
      return [{ location, title: prose(title, surfaces), text: `<p>${prose(text, surfaces)}</p>`, score: sum, terms }];
    });
};

addEventListener("message", async ({ data: { type, data } }) => {
  const modules = await loading;
  if (type === SETUP) {
    setUp(data, modules);
    postMessage({ type: READY });
  } else if (type === QUERY) {
    postMessage({ type: RESULT, data: { items: search(data) } });
  }
});
