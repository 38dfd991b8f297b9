// The box on the home page: posts a log to /lookup of the same origin and shows the answer.
// Whatever comes from a log or from the service enters the page as text, never as HTML.
"use strict";

(() => {
  const element = (tag, text, className) => {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  const fill = (sentence, values) =>
    sentence.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

  const webLink = (address, text, className) => {
    const link = element("a", text, className);
    const url = new URL(address, location.href);
    if (url.protocol === "https:" || url.protocol === "http:") link.href = url.href;
    return link;
  };

  // A summary is Markdown; only its code spans are shown as such.
  const prose = (markdown) => {
    const paragraph = element("p");
    markdown.split("`").forEach((part, index) => paragraph.append(index % 2 ? element("code", part) : part));
    return paragraph;
  };

  const resultCard = (result, words) => {
    const card = element("article", "", "ex-result");
    const head = element("h3");
    head.append(webLink(result.url, result.title));
    const facts = element("p", "", "ex-note");
    facts.textContent = [result.id, fill(words.confidence, { percent: Math.round(result.confidence * 100) })].join(" · ");
    card.append(head, facts);
    if (result.evidence?.text) {
      const line = result.evidence.line ? `${fill(words.line, { line: result.evidence.line })}: ` : "";
      const shown = element("pre");
      shown.append(element("code", line + result.evidence.text));
      card.append(shown);
    }
    card.append(prose(result.summary));
    if (result.fixes?.length) {
      card.append(webLink(`${result.url}#fix`, fill(words.first_fix, { title: result.fixes[0].title }), "ex-go"));
    }
    return card;
  };

  const show = (answer, words) => {
    const parts = [element("h2", words[answer.status])];
    if (answer.status === "no_match") {
      const root = answer.report?.root;
      if (root) {
        const shown = element("pre");
        shown.append(element("code", [root.type, root.message].filter(Boolean).join(": ")));
        parts.push(element("p", words.no_match_more), shown);
      }
      if (answer.contribute) parts.push(webLink(answer.contribute, words.contribute));
      return parts;
    }
    return parts.concat(answer.results.map((result) => resultCard(result, words)));
  };

  // Without the service the pages can still be searched, for what stands last in the text.
  const missing = (log, words) => {
    const search = element("button", words.missing_search, "md-button");
    search.type = "button";
    search.dataset.openSearch = log.trim().split("\n").pop().trim().slice(0, 120);
    return [element("p", words.missing), search];
  };

  const ask = async (log, lang, words) => {
    let response;
    try {
      response = await fetch("/lookup", {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        body: JSON.stringify({ traceback: log, lang }),
      });
    } catch {
      return missing(log, words);
    }
    const isJson = /\bjson\b/.test(response.headers.get("Content-Type") ?? "");
    if (!isJson) return missing(log, words);
    const body = await response.json();
    return response.ok ? show(body, words) : [element("p", fill(words.failed, { detail: body.detail ?? body.title }))];
  };

  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("[data-lookup]");
    if (!form) return;
    event.preventDefault();
    const words = JSON.parse(form.dataset.words);
    const place = form.parentElement.querySelector("[data-lookup-answer]");
    const button = form.querySelector("[type=submit]");
    button.disabled = true;
    place.replaceChildren(element("p", words.busy));
    try {
      place.replaceChildren(...(await ask(form.querySelector("textarea").value, form.dataset.lang, words)));
    } finally {
      button.disabled = false;
    }
  });
})();
