// Sends a visitor of the root to the first of their languages that the site speaks. Without JavaScript the links remain.
"use strict";

const editions = [
  [/^zh-(tw|hk|mo|hant)/i, "zh-TW"],
  [/^zh/i, "zh-CN"],
  [/^en/i, "en"],
];

function edition(tag) {
  const known = editions.find(([pattern]) => pattern.test(tag));
  return known && known[1];
}

location.replace(`/${navigator.languages.map(edition).find(Boolean) ?? "en"}/`);
