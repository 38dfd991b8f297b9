// Answers one question at a time, away from the page's own thread. Nothing that it is told leaves the machine: it fetches
// its own files, and nothing else.

const MAX_BYTES = 8 << 20; // of a file the end is read, where the error stands

// Text of any usual encoding; a log with a few broken bytes stays readable.
const decode = (bytes) => {
  const mark = (bytes[0] << 8) | bytes[1];
  if (mark === 0xfffe) return new TextDecoder("utf-16le").decode(bytes);
  if (mark === 0xfeff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
};

const readLog = async (log) => (typeof log === "string" ? log : decode(new Uint8Array(await log.slice(-MAX_BYTES).arrayBuffer())));

const known = {}; // language -> titles and summaries, fetched once

const textsOf = async (lang) => {
  if (known[lang]) return known[lang];
  const response = await fetch(new URL(`texts.${lang}.json`, import.meta.url));
  if (!response.ok) throw new Error(`texts.${lang}.json: ${response.status}`);
  known[lang] = await response.json();
  return known[lang];
};

// Loaded with the first message: a module that is still being loaded would lose it.
self.addEventListener("message", async ({ data }) => {
  const { id, log, lang, limit } = data;
  try {
    const [{ lookUp }, texts] = await Promise.all([import("./lookup.js"), textsOf(lang)]);
    if (log === null) return; // only to be ready
    const answer = lookUp(await readLog(log), limit);
    const results = answer.results.map((result) => ({ ...result, ...texts[result.position], lang }));
    self.postMessage({ id, answer: { ...answer, results } });
  } catch (error) {
    self.postMessage({ id, problem: error.message });
  }
});
