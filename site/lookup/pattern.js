// A regular expression with Python's words for using it; and constants of the Python modules turned back into what they were.

export class Pattern {
  constructor(source, flags) {
    this.first = new RegExp(source, flags);
    this.every = new RegExp(source, `${flags}g`);
    this.anchored = new RegExp(`^(?:${source})`, flags.replace("m", ""));
    this.entire = new RegExp(`^(?:${source})$`, flags.replace("m", ""));
  }

  match(text) {
    return this.anchored.exec(text);
  }

  fullmatch(text) {
    return this.entire.exec(text);
  }

  search(text) {
    return this.first.exec(text);
  }

  findall(text) {
    return [...text.matchAll(this.every)];
  }

  // The text with every match replaced, and how many there were; `\1` stands for the first group, as in Python.
  sub(replacement, text) {
    let count = 0;
    const put =
      typeof replacement === "function"
        ? replacement
        : (match) => replacement.replace(/\\(\d)/g, (_, group) => match[Number(group)] ?? "");
    const replaced = text.replace(this.every, (...parts) => {
      count += 1;
      const groups = typeof parts.at(-1) === "object" ? parts.pop() : undefined;
      const [index] = parts.splice(-2);
      return put(Object.assign(parts, { index, groups }));
    });
    return [replaced, count];
  }
}

export const revive = (value) => {
  if (Array.isArray(value)) return value.map(revive);
  if (value === null || typeof value !== "object") return value;
  if ("pattern" in value && "flags" in value) return new Pattern(value.pattern, value.flags);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revive(item)]));
};

// The order of Python's tuples: the first part that differs decides; false before true.
export const compareKeys = (a, b) => {
  for (let i = 0; i < a.length; i += 1) {
    if (a[i] < b[i]) return -1;
    if (a[i] > b[i]) return 1;
  }
  return 0;
};

// A stable sort by a key that may be an array, as `sorted(items, key=…)`.
export const sortedBy = (items, key) =>
  items.map((item) => [key(item), item]).sort(([a], [b]) => compareKeys(a, b)).map(([, item]) => item);
