/** What differs between two states of the files: trees, the index, the work tree. */
import { hooks } from "../runtime.js";
import { byName } from "./objects.js";
import { decodeStrictly, encode, readBytes, readLink } from "./system.js";
import { diffLines } from "./diff_lines.js";

const LINK = "120000";
export const SUBMODULE = "160000";
/** A file must have so much of another one for a rename: half of it. */
const ENOUGH = 0.5;
/** Most pairs that are compared for what they have in common. */
const MOST_PAIRS = 10_000;
/** How many bytes are looked at for one that says that it is no text. */
const LOOKED_AT = 8000;

/** The bytes of one side of a change. @param side Its mode with an id, or with the place of the file. */
export async function contentOf({ objects }, side) {
  if (!side) return new Uint8Array(0);
  if (side.mode === SUBMODULE) return encode(`Subproject commit ${side.oid}\n`);
  if (side.file !== undefined) {
    return side.mode === LINK ? encode(readLink(side.file)) : readBytes(side.file) ?? new Uint8Array(0);
  }
  return (await objects.read(side.oid, "blob")).bytes;
}

const kindOf = (mode) => mode.slice(0, 3);

/** Changes between files by their paths, in the order of those. */
export function changesBetween(before, after) {
  const changes = [];
  const add = (status, path, old, now) => void changes.push({ status, path, from: path, old, now });
  for (const [path, old] of before) {
    const now = after.get(path);
    if (!now) add("D", path, old);
    else if (kindOf(old.mode) !== kindOf(now.mode)) add("T", path, old, now);
    else if (old.oid !== now.oid || old.mode !== now.mode || now.touched) add("M", path, old, now);
  }
  for (const [path, now] of after) if (!before.has(path)) add("A", path, undefined, now);
  return changes.sort((a, b) => byName(a.path, b.path));
}

/** Makes renames of what was deleted in one place and has come in another. */
export async function withRenames(repository, changes, { copies = false, enough = ENOUGH } = {}) {
  const gone = changes.filter(({ status, old }) => status === "D" && old.mode !== SUBMODULE);
  const come = changes.filter(({ status, now }) => status === "A" && now.mode !== SUBMODULE);
  if (gone.length === 0 || come.length === 0 || copies) return changes;
  const pairs = new Map();
  const taken = new Set();
  const pair = (from, to, score) => {
    pairs.set(to, { from, score });
    taken.add(from);
  };
  const baseName = ({ path }) => path.slice(path.lastIndexOf("/") + 1);
  const fits = (from, to) => kindOf(from.old.mode) === kindOf(to.now.mode);
  for (const to of come) {
    const same = gone.filter((from) => !taken.has(from) && from.old.oid === to.now.oid && fits(from, to));
    const best = same.find((from) => baseName(from) === baseName(to)) ?? same[0];
    if (best) pair(best, to, 1);
  }
  const left = () => [gone.filter((each) => !taken.has(each)), come.filter((each) => !pairs.has(each))];
  const score = similarities(repository);
  // What has kept its name is tried first: it needs more in common, but is not compared with all others then.
  for (const to of left()[1]) {
    const [from, ...others] = left()[0].filter((each) => baseName(each) === baseName(to));
    const alone = left()[1].filter((each) => baseName(each) === baseName(to)).length === 1;
    if (!from || others.length > 0 || !alone || !fits(from, to)) continue;
    const common = await score(from, to);
    if (common >= (1 + enough) / 2) pair(from, to, common);
  }
  const [sources, targets] = left();
  if (sources.length * targets.length <= MOST_PAIRS) {
    const found = [];
    for (const to of targets) {
      for (const from of sources) {
        if (!fits(from, to) || kindOf(to.now.mode) !== "100") continue;
        const common = await score(from, to);
        if (common >= enough) {
          found.push({ from, to, common, named: baseName(from) === baseName(to) ? 1 : 0 });
        }
      }
    }
    found.sort((a, b) => b.common - a.common || b.named - a.named);
    for (const { from, to, common } of found) if (!taken.has(from) && !pairs.has(to)) pair(from, to, common);
  }
  return changes.filter((change) => !taken.has(change)).map((change) => {
    const found = pairs.get(change);
    return found
      ? {
        ...change,
        status: "R",
        from: found.from.path,
        old: found.from.old,
        score: Math.floor(found.score * 100),
      }
      : change;
  });
}

const LONGEST_PIECE = 64;

/** How much two files have in common, from 0 to 1: bytes of lines, or of pieces of them, over those of the larger one. */
function similarities(repository) {
  const kept = new Map();
  const piecesOf = async (side) => {
    const key = `${side.oid} ${side.file ?? ""}`;
    if (!kept.has(key)) {
      const bytes = await contentOf(repository, side);
      kept.set(key, { size: bytes.length, pieces: pieces(bytes) });
    }
    return kept.get(key);
  };
  return async ({ old }, { now }) => {
    const [a, b] = [await piecesOf(old), await piecesOf(now)];
    const largest = Math.max(a.size, b.size);
    if (largest === 0 || largest - Math.min(a.size, b.size) > largest * (1 - ENOUGH)) return 0;
    let common = 0;
    for (const [piece, bytes] of a.pieces) common += Math.min(bytes, b.pieces.get(piece) ?? 0);
    return common / largest;
  };
}

function pieces(bytes) {
  const found = new Map();
  const text = charsOf(bytes);
  const isText = !isBinary(bytes);
  for (const line of linesOf(text)) {
    const whole = isText ? line.replace(/\r\n$/, "\n") : line;
    for (let at = 0; at < whole.length; at += LONGEST_PIECE) {
      const piece = whole.slice(at, at + LONGEST_PIECE);
      found.set(piece, (found.get(piece) ?? 0) + piece.length);
    }
  }
  return found;
}

export const isBinary = (bytes) => bytes.subarray(0, LOOKED_AT).includes(0);

/** The lines of a text, each with its end. */
export function linesOf(text) {
  const lines = text.split("\n");
  const last = lines.pop();
  const ended = lines.map((line) => `${line}\n`);
  return last === "" ? ended : [...ended, last];
}

/** One character for each byte. */
export function charsOf(bytes) {
  // ASCII stands for itself, and is read at once.
  const text = decodeStrictly(bytes);
  return text?.length === bytes.length
    ? text
    : hooks.modules.buffer.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}
export const bytesOfChars = (text) => hooks.modules.buffer.Buffer.from(text, "latin1");

/** Texts of some bytes, all in the same way: UTF-8, or one character for each byte if one of them is none. */
export function textsOf(...contents) {
  const texts = contents.map(decodeStrictly);
  if (!texts.includes(undefined)) return { texts, bytesOf: encode };
  return { texts: contents.map(charsOf), bytesOf: bytesOfChars };
}

const SPACE = {
  all: (line) => line.replace(/\s+/g, ""),
  amount: (line) => line.replace(/\s+$/, "").replace(/\s+/g, " "),
  end: (line) => line.trimEnd(),
};

/** Which lines of two texts differ: runs, each with where it starts and how long it is on both sides. */
export function runsOf(a, b, space, options) {
  const key = SPACE[space];
  const [dropped, added] = key ? diffLines(a.map(key), b.map(key), options) : diffLines(a, b, options);
  const runs = [];
  for (let x = 0, y = 0; x < a.length || y < b.length;) {
    const [x1, y1] = [x, y];
    while (x < a.length && dropped[x]) x++;
    while (y < b.length && added[y]) y++;
    if (x > x1 || y > y1) runs.push({ x: x1, y: y1, old: x - x1, now: y - y1 });
    else x++, y++;
  }
  return runs;
}
