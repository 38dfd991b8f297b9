// Shows the answer of a lookup, whoever gave it. Whatever comes from a log or from a server enters the page as text, never
// as HTML.

export const element = (tag, text, className) => {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
};

export const fill = (sentence, values) =>
  sentence.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

const webLink = (address, text, className) => {
  const link = element("a", text, className);
  const url = new URL(address, location.href);
  if (url.protocol === "https:" || url.protocol === "http:") link.href = url.href;
  return link;
};

// A title or a summary is Markdown; only its code spans are shown as such.
const prose = (tag, markdown) => {
  const made = element(tag);
  markdown.split("`").forEach((part, index) => made.append(index % 2 ? element("code", part) : part));
  return made;
};

const errorText = (error) => [error.type, error.message].filter(Boolean).join(": ");

const whereText = (error, words) => {
  const rank = error.rank === null || error.rank === undefined ? "" : fill(words.rank, { rank: error.rank });
  return [rank, fill(words.line, { line: error.line })].filter(Boolean).join(" · ");
};

// The lines around the root error, numbered, its own marked; or its text alone where there is no log to show.
const rootBlock = (root, excerpt) => {
  const shown = element("pre", "", "ex-log");
  const code = element("code");
  if (!excerpt?.length) code.append(element("mark", errorText(root)));
  for (const line of excerpt ?? []) {
    const row = element(line.root ? "mark" : "span");
    row.dataset.line = line.number;
    row.textContent = `${line.text}\n`;
    code.append(row);
  }
  shown.append(code);
  shown.tabIndex = 0; // it scrolls
  return shown;
};

const LISTED = 50; // consequences; a log of many ranks repeats one error thousands of times

const consequenceList = (consequences, words) => {
  const folded = element("details");
  folded.append(element("summary", fill(words.followed, { count: consequences.length })));
  const list = element("ul");
  for (const error of consequences.slice(0, LISTED)) {
    const item = element("li");
    const [first] = errorText(error).split("\n");
    item.append(element("code", first.slice(0, 200)), ` ${whereText(error, words)} · ${words[`reason_${error.reason}`]}`);
    list.append(item);
  }
  folded.append(list);
  return folded;
};

const reportPart = (answer, words) => {
  const { root, consequences, redactions } = answer.report;
  if (!root) return [];
  const part = element("section", "", "ex-report");
  part.append(element("h3", words.root), element("p", whereText(root, words), "ex-note"), rootBlock(root, answer.excerpt));
  if (consequences?.length) part.append(consequenceList(consequences, words));
  if (redactions) part.append(element("p", fill(words.redacted, { count: redactions }), "ex-note"));
  return [part];
};

const evidencePart = ({ line, text }, words) => {
  const shown = element("pre");
  shown.append(element("code", line ? `${fill(words.line, { line })}: ${text}` : text));
  shown.tabIndex = 0;
  return shown;
};

const resultCard = (result, shownLines, words) => {
  const card = element("article", "", "ex-result");
  const head = element("h3");
  const link = webLink(result.url, "");
  link.append(...prose("span", result.title).childNodes);
  head.append(link);
  const sure = fill(words.confidence, { percent: Math.round(result.confidence * 100) });
  const found = words[`stage_${result.evidence?.stage}`];
  card.append(head, element("p", [result.id, sure, found].filter(Boolean).join(" · "), "ex-note"), prose("p", result.summary));
  // What the excerpt of the log shows anyway need not be said twice.
  if (result.evidence?.text && !shownLines.has(result.evidence.line)) card.append(evidencePart(result.evidence, words));
  const [fix] = result.fixes ?? [];
  if (fix) {
    const go = webLink(`${result.url}#fix`, "", "ex-go");
    go.append(...prose("span", fill(words.first_fix, { title: fix.title })).childNodes);
    card.append(go);
  }
  return card;
};

// The parts of the page that say what was found.
export const answerParts = (answer, words) => {
  const shownLines = new Set((answer.excerpt ?? []).map((line) => line.number));
  const parts = [element("h2", words[answer.status]), ...answer.results.map((result) => resultCard(result, shownLines, words))];
  if (answer.status === "no_match") {
    parts.push(element("p", answer.report?.root ? words.no_match_more : words.no_match_nothing));
    if (answer.contribute) parts.push(webLink(answer.contribute, words.contribute, "ex-go"));
  }
  return [...parts, ...(answer.report ? reportPart(answer, words) : [])];
};
