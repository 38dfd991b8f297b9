// What the theme's bundle keeps in the browser's storage, and under which names: its inline script as a file.
"use strict";

var __md_scope = new URL(document.currentScript.dataset.base, location);

var __md_hash = (text) => [...text].reduce((hash, character) => (hash << 5) - hash + character.charCodeAt(0), 0);

var __md_get = (key, storage = localStorage, scope = __md_scope) => JSON.parse(storage.getItem(`${scope.pathname}.${key}`));

var __md_set = (key, value, storage = localStorage, scope = __md_scope) => {
  try {
    storage.setItem(`${scope.pathname}.${key}`, JSON.stringify(value));
  } catch {
    // Storage may be switched off; then nothing is remembered.
  }
};
