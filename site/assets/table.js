// Tables. That of all entries shows the rows that fit every field of the filter above it, and says how many they are.
"use strict";

(() => {
  const FORM = "[data-table-filter]";

  // Each word must stand somewhere in the row or in the names that it is found by.
  const holdsWords = (row, text) => {
    const found = `${row.dataset.text} ${row.textContent.toLowerCase()}`;
    return text.toLowerCase().split(/\s+/).every((word) => found.includes(word));
  };

  const fits = (row, key, value) => {
    if (!value) return true;
    if (key === "text") return holdsWords(row, value);
    if (key === "library") return JSON.parse(row.dataset.library).includes(value);
    return row.dataset[key] === value;
  };

  const filter = (form) => {
    const wanted = [...form.querySelectorAll("[data-filter]")].map((field) => [field.dataset.filter, field.value.trim()]);
    const rows = [...document.querySelectorAll(".ex-table tbody tr")];
    for (const row of rows) row.hidden = !wanted.every(([key, value]) => fits(row, key, value));
    const output = form.querySelector("output");
    output.textContent = output.dataset.shown.replace("{shown}", rows.filter((row) => !row.hidden).length);
  };

  const refilter = (event) => {
    const form = event.target.closest?.(FORM);
    if (form) filter(form);
  };

  document.addEventListener("input", refilter);
  document.addEventListener("change", refilter);
  document.addEventListener("submit", (event) => {
    if (event.target.matches(FORM)) event.preventDefault();
  });
  document.addEventListener("reset", (event) => {
    // The fields are emptied after the event.
    if (event.target.matches(FORM)) setTimeout(() => filter(event.target));
  });

  // On every page that the theme puts in place; fields may have been filled in by the browser when it went back.
  document$.subscribe(() => {
    for (const form of document.querySelectorAll(FORM)) {
      form.hidden = false;
      filter(form);
    }
  });

  // A table too wide for its page scrolls in a box of the theme: the keyboard must reach it.
  document$.subscribe(() => {
    for (const box of document.querySelectorAll(".md-typeset__scrollwrap")) box.tabIndex = 0;
  });
})();
