// Finds every exception in cleaned lines, however it was printed; mirrors errdex.tracebacks.
import { constantsOf } from "./knowledge.js";
import { HAN } from "./language.js";
import { sortedBy } from "./pattern.js";

const {
  AFTER_FRAMES, CPLUSPLUS, CRASH, DEBUGGER, DIVIDER, EMBEDDED, FRAMES, HEADER, IGNORED, LINKS, MAX_MESSAGE_LINES,
  MESSAGE_BELOW, PLAIN, PROMPT, QUOTED, USAGE, WHAT,
} = constantsOf.tracebacks;

// `Type: first line of the message`, as Python prints it.
export const headlineOf = (raised) => {
  const [first] = raised.message.split("\n");
  return first ? `${raised.type}: ${first}` : raised.type;
};

const frameOf = (text) => {
  if (!["File ", ".py", "nput", "Cell In"].some((mark) => text.includes(mark))) return null;
  for (const pattern of FRAMES) {
    const match = pattern.match(text);
    if (match) return match.groups;
  }
  return null;
};

const unqualified = (name) => name.split("::").at(-1).split(".").at(-1);

const endsMessage = (text) =>
  text.includes(HEADER) ||
  LINKS.some(([phrase]) => text.includes(phrase)) ||
  DIVIDER.match(text) ||
  PROMPT.match(text) ||
  IGNORED.match(text) ||
  frameOf(text) ||
  CPLUSPLUS.match(text) ||
  CRASH.match(text) ||
  HAN.match(text) || // no library goes on in Chinese: these are somebody's own words
  (!/^[ \t]?$/.test(text.slice(0, 1)) && PLAIN.match(text));

// State of one stream of lines that come from one rank.
class Parser {
  constructor(lines) {
    this.lines = lines;
    this.found = [];
    this.reset();
  }

  reset() {
    this.frames = [];
    this.start = null;
    this.inTraceback = false;
    this.ignored = false;
  }

  run() {
    let position = 0;
    while (position < this.lines.length) position = this.step(position);
    return this.found;
  }

  step(position) {
    const line = this.lines[position];
    const { text } = line;
    if (!text.trim()) return position + 1;
    if (text.includes(HEADER)) {
      this.frames = [];
      this.start = line.number;
      this.inTraceback = true;
      return position + 1;
    }
    if (this.link(text)) return position + 1;
    if (IGNORED.match(text)) {
      this.ignored = true;
      return position + 1;
    }
    const frame = frameOf(text);
    if (frame) {
      this.frames.push(frame);
      this.inTraceback = true;
      this.start ||= line.number;
      const raised = EMBEDDED.search(text);
      if (raised && raised.groups.type.includes("arning")) {
        return this.close(position, raised.groups.type, raised.groups.message);
      }
      return position + 1;
    }
    const cplusplus = CPLUSPLUS.match(text);
    if (cplusplus) return this.closeBelow(position, cplusplus.groups.type, WHAT);
    const crash = CRASH.match(text.trim());
    if (crash) return this.record(position, position, crash.groups.type, "");
    const announced = DEBUGGER.match(text);
    if (announced) return this.closeBelow(position, announced.groups.type, MESSAGE_BELOW);
    const match = this.exception(text);
    return match ? this.close(position, match.groups.type, match.groups.message ?? "") : position + 1;
  }

  link(text) {
    for (const [phrase, link] of LINKS) {
      if (text.includes(phrase)) {
        if (this.found.length) this.found.at(-1).link = link;
        return true;
      }
    }
    return false;
  }

  // The exception that this line names, if it does; source lines are indented and do not count.
  exception(text) {
    const body = text.startsWith("E   ") ? text.slice(4) : text;
    const indent = body.length - body.trimStart().length;
    const bare = body.trim();
    if (this.inTraceback && indent <= 1) {
      const match = AFTER_FRAMES.match(bare);
      if (match) return this.frames.length || PLAIN.match(bare) ? match : null;
    }
    if (indent <= 3) {
      const match = PLAIN.match(bare);
      if (match) return match;
    }
    if (this.inTraceback && indent > 3) return null;
    const match = USAGE.match(body) || EMBEDDED.search(body);
    return match && !body.includes("except ") && !body.includes("raise ") ? match : null;
  }

  close(position, name, message) {
    const parts = [message];
    let end = position;
    const last = Math.min(position + MAX_MESSAGE_LINES, this.lines.length);
    for (let following = position + 1; following < last; following += 1) {
      const { text } = this.lines[following];
      if (!text.trim() || endsMessage(text)) break;
      parts.push(text);
      end = following;
    }
    return this.record(position, end, unqualified(name), parts.join("\n").trim());
  }

  record(position, end, type, message) {
    const line = this.lines[position];
    this.found.push({
      type,
      message,
      line: line.number,
      start: this.start || line.number,
      end: this.lines[end].number,
      rank: line.rank,
      frames: this.frames,
      link: null,
      quoted: false,
      ignored: this.ignored || line.warned,
    });
    this.reset();
    return end + 1;
  }

  // An exception whose message stands on the line after its name, if that line has the form of one.
  closeBelow(position, name, below) {
    const following = position + 1;
    const found = following < this.lines.length ? below.match(this.lines[following].text) : null;
    return found ? this.close(following, name, found.groups.message) : this.close(position, name, "");
  }
}

const quoted = (lines) =>
  lines.flatMap((line) => {
    const match = line.text.includes("(") ? QUOTED.search(line.text) : null;
    if (!match) return [];
    const at = { line: line.number, start: line.number, end: line.number, rank: line.rank };
    const { type, message } = match.groups;
    return [{ ...at, type: unqualified(type), message, frames: [], link: null, quoted: true, ignored: false }];
  });

// Every exception in the lines, in order of appearance; lines of different ranks are read apart.
export const findExceptions = (lines) => {
  const streams = new Map();
  for (const line of lines) {
    if (!streams.has(line.rank)) streams.set(line.rank, []);
    streams.get(line.rank).push(line);
  }
  const found = [...streams.values()].flatMap((stream) => new Parser(stream).run());
  return found.length ? sortedBy(found, (raised) => [raised.line, raised.start]) : quoted(lines);
};
