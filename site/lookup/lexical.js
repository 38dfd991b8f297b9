// BM25 over code-aware tokens; mirrors errdex.lexical.
import { constantsOf } from "./knowledge.js";
import { HAN, toSimplified } from "./language.js";
import { normalize } from "./normalize.js";
import { tokenizer } from "./tokens.js";

const { B, K1 } = constantsOf.lexical;
const splitWords = tokenizer({ ...constantsOf.lexical, HAN });

export const tokenize = (text) => splitWords(normalize(toSimplified(text))).flatMap(({ tokens }) => tokens);

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
      const weight = this.weight(token);
      const postings = this.postings.get(token) ?? [];
      for (let i = 0; i < postings.length; i += 2) {
        const [document, count] = [postings[i], postings[i + 1]];
        const length = 1 - B + (B * this.lengths[document]) / this.average;
        scores[document] += (weight * count) / (K1 * length + count);
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
