// Cuts text into tokens, for the lookup and for the search box; mirrors errdex.lexical.split_words. Patterns and word lists
// are given, as Python has them.

export const tokenizer = ({ CAMEL, HAN, STOP, STOP_HAN, WORD }) => {
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
      const fits = token.endsWith(ending) && token.length - ending.length >= 4 && !token.endsWith("ss");
      if (fits) return token.slice(0, -ending.length);
    }
    return token;
  };

  const hanTokens = (word) => {
    const characters = [...word];
    const pairs = characters.length > 1 ? characters.slice(1).map((next, i) => characters[i] + next) : characters;
    return pairs.filter((pair) => !(stopHan.has(pair[0]) && stopHan.has(pair.at(-1))));
  };

  // The words of a text whose Chinese is Simplified already, each with its tokens.
  return (text) =>
    WORD.findall(text).map(([word]) => {
      const tokens = HAN.match(word) ? hanTokens(word) : codeTokens(word).filter((token) => !stop.has(token)).map(stem);
      return { word, tokens };
    });
};
