/** Joins two versions of a text that come from one, with what they disagree on between markers. */
import { isBinary, linesOf, runsOf, textsOf } from "./compare.js";

/** Conflicts with so few lines between them are one. */
const NEAR = 3;
const OURS = 1;
const THEIRS = 2;
const CONFLICT = 0;

/**
 * @param versions Bytes: `base`, `ours`, `theirs`. @param labels What the markers call the sides.
 * @returns the joined bytes and the number of conflicts; undefined if one of them is no text.
 */
export function mergeText({ base, ours, theirs }, labels, { style = "merge", favour } = {}) {
  if ([base, ours, theirs].some(isBinary)) return undefined;
  const { texts, bytesOf } = textsOf(base, ours, theirs);
  const [o, a, b] = texts.map(linesOf);
  const regions = regionsOf(o, a, b);
  const parts = [];
  let at = 0;
  let conflicts = 0;
  for (const region of regions) {
    const mine = a.slice(region.a, region.a + region.inA);
    const other = b.slice(region.b, region.b + region.inB);
    parts.push(...a.slice(at, region.a));
    if (region.kind === OURS) parts.push(...mine);
    else if (region.kind === THEIRS) parts.push(...other);
    else if (favour) parts.push(...favour === "ours" ? mine : other);
    else {
      conflicts++;
      const original = style === "diff3"
        ? [`||||||| ${labels.base}\n`, ...ended(o.slice(region.o, region.o + region.inO))]
        : [];
      parts.push(
        `<<<<<<< ${labels.ours}\n`,
        ...ended(mine),
        ...original,
        "=======\n",
        ...ended(other),
        `>>>>>>> ${labels.theirs}\n`,
      );
    }
    at = region.a + region.inA;
  }
  parts.push(...a.slice(at));
  return { bytes: bytesOf(parts.join("")), conflicts };
}

const ended = (lines) => lines.map((line) => line.endsWith("\n") ? line : `${line}\n`);

function regionsOf(o, a, b) {
  const options = { indents: false };
  const [left, right] = [runsOf(o, a, undefined, options), runsOf(o, b, undefined, options)];
  const regions = [];
  const add = (kind, region) => {
    const last = regions.at(-1);
    if (last && (region.a <= last.a + last.inA || region.b <= last.b + last.inB)) {
      if (kind !== last.kind) last.kind = CONFLICT;
      last.inO = region.o + region.inO - last.o;
      last.inA = region.a + region.inA - last.a;
      last.inB = region.b + region.inB - last.b;
    } else regions.push({ kind, ...region });
  };
  let [x, y] = [0, 0];
  const onlyLeft = (mine, shift) =>
    add(OURS, { o: mine.x, inO: mine.old, a: mine.y, inA: mine.now, b: mine.x + shift, inB: mine.old });
  const onlyRight = (other, shift) =>
    add(THEIRS, {
      o: other.x,
      inO: other.old,
      a: other.x + shift,
      inA: other.old,
      b: other.y,
      inB: other.now,
    });
  while (x < left.length && y < right.length) {
    const [mine, other] = [left[x], right[y]];
    if (mine.x + mine.old < other.x) {
      onlyLeft(mine, other.y - other.x);
      x++;
      continue;
    }
    if (other.x + other.old < mine.x) {
      onlyRight(other, mine.y - mine.x);
      y++;
      continue;
    }
    const [endOfMine, endOfOther] = [mine.x + mine.old, other.x + other.old];
    if (!isSame(mine, other, a, b)) {
      const start = Math.min(mine.x, other.x);
      const end = Math.max(endOfMine, endOfOther);
      const [fromA, fromB] = [mine.y - (mine.x - start), other.y - (other.x - start)];
      add(CONFLICT, {
        o: start,
        inO: end - start,
        a: fromA,
        inA: mine.y + mine.now + (end - endOfMine) - fromA,
        b: fromB,
        inB: other.y + other.now + (end - endOfOther) - fromB,
      });
    }
    if (endOfMine >= endOfOther) y++;
    if (endOfOther >= endOfMine) x++;
  }
  for (; x < left.length; x++) onlyLeft(left[x], b.length - o.length);
  for (; y < right.length; y++) onlyRight(right[y], a.length - o.length);
  return joined(regions.flatMap((region) => region.kind === CONFLICT ? refined(region, a, b) : [region]));
}

const isSame = (mine, other, a, b) =>
  mine.x === other.x && mine.old === other.old && mine.now === other.now &&
  a.slice(mine.y, mine.y + mine.now).every((line, at) => line === b[other.y + at]);

/** What of a conflict the two sides have alike is none. */
function refined(region, a, b) {
  if (region.inA === 0 || region.inB === 0) return [region];
  const [mine, other] = [a.slice(region.a, region.a + region.inA), b.slice(region.b, region.b + region.inB)];
  return runsOf(mine, other, undefined, { indents: false }).map((run) => ({
    ...region,
    a: region.a + run.x,
    inA: run.old,
    b: region.b + run.y,
    inB: run.now,
  }));
}

function joined(regions) {
  const found = [];
  for (const region of regions) {
    const last = found.at(-1);
    const near = last && last.kind === CONFLICT && region.kind === CONFLICT &&
      region.a - (last.a + last.inA) <= NEAR;
    if (!near) found.push(region);
    else {
      last.inA = region.a + region.inA - last.a;
      last.inB = region.b + region.inB - last.b;
      last.inO = region.o + region.inO - last.o;
    }
  }
  return found;
}
