// BM25 over code-aware tokens; mirrors errdex.lexical.
import { constantsOf } from "./knowledge.js";
import { HAN, toSimplified } from "./language.js";
import { normalize } from "./normalize.js";

const { CAMEL, K1, B, STOP, STOP_HAN, WORD } = constantsOf.lexical;
const stop = new Set(STOP);
const stopHan = new Set(STOP_HAN);

// A name, and the words inside it: `torch.cuda.amp`, `LayerNormKernelImpl`, `grad_norm`.
const codeTokens = (word) => {
  const tokens = [word.toLowerCase()];
  for (const part of word.split(".")) {
    const pieces = part.split("_").flatMap((chunk) => CAMEL.findall(chunk).map(([piece]) => piece));
    if (part !== word) tokens.push(part.toLowerCase());
    if (pieces.length > 1) tokens.push(...pieces.filter((piece) => piece.length > 1).map((piece) => piece.toLowerCase()));
  }
  return tokens;
};

// Plural and verb endings off: enough for log English, never for names with digits or dots.
const stem = (token) => {
  if (!/^[A-Za-z]+$/.test(token) || token.length < 5) return token;
  for (const ending of ["ing", "ed", "es", "s"]) {
    if (token.endsWith(ending) && token.length - ending.length >= 4 && !token.endsWith("ss")) return token.slice(0, -ending.length);
  }
  return token;
};

export const tokenize = (text) => {
  const tokens = [];
  for (const [word] of WORD.findall(normalize(toSimplified(text)))) {
    if (HAN.match(word)) {
      const characters = [...word];
      const pairs = characters.length > 1 ? characters.slice(1).map((next, i) => characters[i] + next) : characters;
      tokens.push(...pairs.filter((pair) => !(stopHan.has(pair[0]) && stopHan.has(pair.at(-1)))));
    } else {
      tokens.push(...codeTokens(word).filter((token) => !stop.has(token)).map(stem));
    }
  }
  return tokens;
};

export class LexicalIndex {
  constructor({ lengths, postings }) {
    this.lengths = lengths;
    this.postings = new Map(Object.entries(postings));
    this.average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  }

  weight(token) {
    const found = (this.postings.get(token)?.length ?? 0) / 2;
    return found ? Math.log1p((this.lengths.length - found + 0.5) / (found + 0.5)) : Math.log1p((this.lengths.length + 0.5) / 0.5);
  }

  // BM25 of every document; higher is better.
  scores(tokens) {
    const scores = new Float64Array(this.lengths.length);
    for (const token of tokens) {
      const postings = this.postings.get(token) ?? [];
      for (let i = 0; i < postings.length; i += 2) {
        const [document, count] = [postings[i], postings[i + 1]];
        const length = 1 - B + (B * this.lengths[document]) / this.average;
        scores[document] += (this.weight(token) * count) / (K1 * length + count);
      }
    }
    return scores;
  }

  // Share of the query's information that each document holds, 0 to 1.
  coverage(tokens) {
    let total = 0;
    const covered = new Float64Array(this.lengths.length);
    for (const token of new Set(tokens)) {
      const weight = this.weight(token);
      const postings = this.postings.get(token) ?? [];
      total += weight;
      for (let i = 0; i < postings.length; i += 2) covered[postings[i]] += weight;
    }
    return total ? covered.map((weight) => weight / total) : covered;
  }
}
