// Puts the chosen colours in place before anything is drawn: the theme's inline script as a file.
"use strict";

(() => {
  const chosen = __md_get("__palette");
  if (!chosen?.color) return;
  if (chosen.color.media === "(prefers-color-scheme)") {
    const light = matchMedia("(prefers-color-scheme: light)").matches;
    const option = document.querySelector(`[data-md-color-media="(prefers-color-scheme: ${light ? "light" : "dark"})"]`);
    for (const name of ["media", "scheme", "primary", "accent"]) {
      chosen.color[name] = option.getAttribute(`data-md-color-${name}`);
    }
  }
  for (const [name, value] of Object.entries(chosen.color)) document.body.setAttribute(`data-md-color-${name}`, value);
})();
