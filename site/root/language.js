// Follows the link of the page that leads to the first of the reader's languages. Without JavaScript the links remain.
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

const chosen = navigator.languages.map(edition).find(Boolean) ?? "en";
location.replace(document.querySelector(`main a[hreflang="${chosen}"]`).href + location.hash);
