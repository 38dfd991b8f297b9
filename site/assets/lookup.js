// The box that takes a log: pasted, typed, dropped or chosen. A worker of this site reads it here, in the browser; only
// when somebody presses "Ask the server", and only where one is set, is the text sent anywhere.
import { answerParts, element, fill } from "./answer.js";
import { remember, votePart } from "./vote.js";

const LARGE = 64 * 1024; // characters; a longer paste is kept aside, since a text box that holds it makes the page stall
const RESULTS = 3;

const attached = new WeakMap(); // form -> {name, log} kept instead of the text box's content
let worker = null;
let asked = 0;
const waiting = new Map(); // number of a question -> what to do with the worker's answer

const stop = (detail) => {
  for (const settle of waiting.values()) settle({ problem: detail });
  waiting.clear();
  worker = null;
};

const ask = (form, log) => {
  if (!worker) {
    worker = new Worker(`${form.dataset.lookup}worker.js`, { type: "module" });
    worker.addEventListener("message", ({ data }) => {
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    });
    worker.addEventListener("error", (event) => stop(event.message || "worker"));
  }
  asked += 1;
  const id = asked;
  worker.postMessage({ id, log, lang: form.dataset.lang, limit: RESULTS });
  return new Promise((resolve) => waiting.set(id, resolve));
};

const wordsOf = (form) => JSON.parse(form.dataset.words);
const answerPlace = () => document.querySelector("[data-lookup-answer]");
const logOf = (form) => attached.get(form)?.log ?? form.querySelector("textarea").value;

const sizeText = (count) => (count < 1024 * 1024 ? `${Math.ceil(count / 1024)} KiB` : `${(count / 1024 / 1024).toFixed(1)} MiB`);

const attach = (form, name, log) => {
  const words = wordsOf(form);
  const shown = form.querySelector("[data-attached]");
  const area = form.querySelector("textarea");
  if (log === null) {
    attached.delete(form);
    shown.replaceChildren();
  } else {
    attached.set(form, { name, log });
    const remove = element("button", words.remove, "md-button");
    remove.type = "button";
    remove.dataset.detach = "";
    shown.replaceChildren(element("span", `${name}, ${sizeText(log.size ?? log.length)}`), remove);
  }
  shown.hidden = log === null;
  area.hidden = log !== null;
  area.required = log === null;
};

const searchButton = (log, words) => {
  const button = element("button", words.missing_search, "md-button");
  button.type = "button";
  button.dataset.openSearch = typeof log === "string" ? log.trim().split("\n").pop().trim().slice(0, 120) : "";
  return button;
};

const contributeLink = (form, root) => {
  const { contribute } = form.dataset;
  const title = root?.message ? `${root.type ?? "Error"}: ${root.message.split("\n")[0].slice(0, 120)}` : "New error";
  const body = root ? root.message.slice(0, 600) : "";
  return contribute.replace("{title}", encodeURIComponent(title)).replace("{body}", encodeURIComponent(body));
};

// What the worker found, in the shape of the server's answer.
const asAnswer = (form, found) => ({
  ...found,
  contribute: contributeLink(form, found.report.root),
  results: found.results.map((result) => ({
    ...result,
    url: `/${result.lang}/${result.path}/`,
    fixes: result.fix ? [{ title: result.fix }] : [],
  })),
});

const problemParts = (problem, log, words) => {
  const known = { empty: words.empty, binary: words.binary }[problem];
  if (known) return [element("p", known)];
  return [element("p", fill(words.unsupported, { detail: problem })), searchButton(log, words)];
};

// What the browser's own answer rests on, and the server for those who want more.
const footParts = (form, found, words) => {
  const parts = [element("p", words.private_done, "ex-note")];
  if (!found.modelWouldHelp) return parts;
  parts.push(element("p", form.dataset.api ? words.no_model_server : words.no_model, "ex-note"));
  if (form.dataset.api) {
    const button = element("button", fill(words.ask_server, { host: new URL(form.dataset.api, location.href).host }), "md-button");
    button.type = "button";
    button.dataset.askServer = "";
    parts.push(button);
  }
  return parts;
};

const lookUpHere = async (form) => {
  const words = wordsOf(form);
  const log = logOf(form);
  const place = answerPlace();
  place.replaceChildren(element("p", words.busy));
  const { answer, problem } = await ask(form, log);
  const parts = problem
    ? problemParts(problem, log, words)
    : [...answerParts(asAnswer(form, answer), words), ...footParts(form, answer, words)];
  place.replaceChildren(...parts);
  place.focus();
};

const askServer = async (form) => {
  const words = wordsOf(form);
  const log = logOf(form);
  const place = answerPlace();
  place.replaceChildren(element("p", words.busy));
  let parts;
  try {
    const response = await fetch(`${form.dataset.api}lookup`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ traceback: typeof log === "string" ? log : await log.text(), lang: form.dataset.lang }),
    });
    const body = await response.json();
    if (response.ok) {
      remember(body);
      const voted = body.results.slice(0, 1).map((result) => votePart(result.id, form.dataset.api, words));
      parts = [...answerParts(body, words), ...voted, element("p", words.from_server, "ex-note")];
    } else {
      parts = [element("p", fill(words.failed, { detail: body.detail ?? body.title }))];
    }
  } catch (error) {
    parts = [element("p", fill(words.failed, { detail: error.message }))];
  }
  place.replaceChildren(...parts);
  place.focus();
};

const formAt = (event) => (event.target instanceof Element ? event.target.closest("[data-lookup]") : null);

const within = async (form, work) => {
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  try {
    await work(form);
  } finally {
    button.disabled = false;
  }
};

document.addEventListener("submit", (event) => {
  const form = formAt(event);
  if (!form) return;
  event.preventDefault();
  within(form, lookUpHere);
});

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element)) return;
  const detach = event.target.closest("[data-detach]");
  if (detach) {
    const form = detach.closest("[data-lookup]");
    attach(form, "", null);
    form.querySelector("textarea").focus();
  }
  if (event.target.closest("[data-ask-server]")) within(document.querySelector("[data-lookup]"), askServer);
});

document.addEventListener("change", (event) => {
  const form = formAt(event);
  if (!form || event.target.type !== "file" || !event.target.files.length) return;
  const [file] = event.target.files;
  attach(form, file.name, file);
  event.target.value = "";
});

document.addEventListener("paste", (event) => {
  const form = formAt(event);
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!form || text.length < LARGE) return;
  event.preventDefault();
  attach(form, wordsOf(form).pasted, text);
});

document.addEventListener("dragover", (event) => {
  if (formAt(event)) event.preventDefault();
});

document.addEventListener("drop", (event) => {
  const form = formAt(event);
  const file = event.dataTransfer?.files[0];
  if (!form || !file) return;
  event.preventDefault();
  attach(form, file.name, file);
});

// Whoever turns to the box will ask soon: fetch what the lookup needs meanwhile.
document.addEventListener("focusin", (event) => {
  const form = formAt(event);
  if (form && !worker) ask(form, null);
});
