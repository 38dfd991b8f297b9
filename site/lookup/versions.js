// Compares versions as packaging does, as far as logs and entries name them.

const VERSION = /^v?(\d+(?:\.\d+)*)(?:[.-]?(dev|a|b|rc|post)(\d*))?/i;
const STAGES = { dev: -4, a: -3, b: -2, rc: -1, "": 0, post: 1 };

const parse = (text) => {
  const match = VERSION.exec(text);
  if (!match) return null;
  const release = match[1].split(".").map(Number);
  while (release.length > 1 && release.at(-1) === 0) release.pop();
  return { release, stage: STAGES[(match[2] ?? "").toLowerCase()], number: Number(match[3] || 0) };
};

const compareRelease = (a, b) => {
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    if ((a[i] ?? 0) !== (b[i] ?? 0)) return (a[i] ?? 0) - (b[i] ?? 0);
  }
  return 0;
};

const compare = (a, b) => compareRelease(a.release, b.release) || a.stage - b.stage || a.number - b.number;

// `<2` leaves out 2.0rc1, and `>2` leaves out 2.0.post1, unless they are named themselves.
const sameRelease = (a, b) => compareRelease(a.release, b.release) === 0;
const OPERATORS = {
  ">=": (a, b) => compare(a, b) >= 0,
  "<=": (a, b) => compare(a, b) <= 0,
  "==": (a, b) => compare(a, b) === 0,
  "!=": (a, b) => compare(a, b) !== 0,
  "<": (a, b) => compare(a, b) < 0 && !(b.stage === 0 && a.stage < 0 && sameRelease(a, b)),
  ">": (a, b) => compare(a, b) > 0 && !(b.stage === 0 && a.stage > 0 && sameRelease(a, b)),
};

// Whether a version lies in a range such as `>=1.6,<2`; what cannot be read is taken to.
export const isWithin = (text, range) => {
  const version = parse(text);
  if (!version) return true;
  return range.split(",").every((part) => {
    const [, operator, bound] = /^\s*(>=|<=|==|!=|<|>)\s*(\S+)/.exec(part) ?? [];
    const limit = bound && parse(bound);
    return !limit || OPERATORS[operator](version, limit);
  });
};
