// "Was this right?": two buttons that tell the server, on the page of an entry and under an answer that the server gave.
import { element } from "./answer.js";

const LAST = "errdex.answered"; // of this tab: the server's last answer, so that a vote on one of its entries can name it

const last = () => {
  try {
    return JSON.parse(sessionStorage.getItem(LAST)) ?? {};
  } catch {
    return {}; // a browser that keeps nothing: the vote goes without
  }
};

// Keeps which request the server answered with which entries.
export const remember = (answer) => {
  try {
    const entries = answer.results.map((result) => result.id);
    sessionStorage.setItem(LAST, JSON.stringify({ request: answer.request_id, entries }));
  } catch {
    // as above
  }
};

const button = (text, right) => {
  const made = element("button", text, "md-button");
  made.type = "button";
  made.dataset.right = right;
  return made;
};

// The question and its buttons, for an entry that an answer shows.
export const votePart = (entry, api, words) => {
  const part = element("p", "", "ex-vote");
  Object.assign(part.dataset, { vote: entry, api, thanks: words.vote_thanks, failed: words.vote_failed });
  const said = element("span");
  said.setAttribute("role", "status");
  part.append(`${words.vote} `, button(words.vote_right, "true"), " ", button(words.vote_wrong, "false"), " ", said);
  return part;
};

const vote = async (part, right) => {
  const { request, entries } = last();
  const said = part.querySelector("[role=status]");
  const known = request && entries?.includes(part.dataset.vote);
  try {
    const response = await fetch(`${part.dataset.api}feedback`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ entry: part.dataset.vote, right, ...(known ? { request_id: request } : {}) }),
    });
    if (!response.ok) throw new Error(String(response.status));
    for (const choice of part.querySelectorAll("[data-right]")) {
      choice.setAttribute("aria-pressed", String(choice.dataset.right === String(right)));
    }
    said.textContent = part.dataset.thanks;
  } catch {
    said.textContent = part.dataset.failed;
  }
};

// One listener for every page: the theme replaces pages without loading scripts again.
document.addEventListener("click", async (event) => {
  const pressed = event.target instanceof Element ? event.target.closest("[data-vote] [data-right]") : null;
  if (!pressed) return;
  const part = pressed.closest("[data-vote]");
  const choices = [...part.querySelectorAll("[data-right]")];
  for (const choice of choices) choice.disabled = true;
  await vote(part, pressed.dataset.right === "true");
  for (const choice of choices) choice.disabled = false;
});
