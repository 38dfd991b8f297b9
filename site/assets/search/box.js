// Buttons that open the theme's search, empty or with words in it; and the name that its dialog lacks.
"use strict";

(() => {
  const part = (name) => document.querySelector(`[data-md-component=${name}]`);

  part("search").setAttribute("aria-label", part("search-query").getAttribute("aria-label"));

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-open-search]");
    if (!button) return;
    const toggle = document.querySelector("[data-md-toggle=search]");
    const query = part("search-query");
    if (!toggle.checked) toggle.click();
    query.focus();
    if (button.dataset.openSearch) {
      query.value = button.dataset.openSearch;
      query.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
    }
  });
})();
