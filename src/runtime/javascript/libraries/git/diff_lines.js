/**
 * Which lines differ: Myers' algorithm in linear space with the refinements of git's, so that of all shortest scripts it
 * is the one that git shows. Lines that occur nowhere else are put aside first, and groups of lines that can slide come
 * to rest where their indentation says.
 */

/** Once a box has cost so much the furthest path will do, be it the shortest or not. */
const LEAST_COST_BOUND = 256;
const MOST_OCCURRENCES = 1024;
const WINDOW = 100;
const RUN_WEIGHT = 4;

/**
 * @param indents Whether groups rest by their indentation; else as far down as they can.
 * @returns for each side which lines are not in the other one.
 */
export function diffLines(a, b, { indents = true } = {}) {
  const ids = new Map();
  const numbered = (lines) =>
    Int32Array.from(lines, (line) => {
      let id = ids.get(line);
      if (id === undefined) ids.set(line, id = ids.size);
      return id;
    });
  const sides = [a, b].map((lines) => ({
    lines,
    ids: numbered(lines),
    // One more at each end, where nothing ever changes.
    changed: new Uint8Array(lines.length + 2).subarray(1),
  }));
  compare(sides, ids.size);
  compact(sides[0], sides[1], indents);
  compact(sides[1], sides[0], indents);
  return sides.map(({ changed, lines }) => changed.subarray(0, lines.length));
}

function compare([a, b], count) {
  const most = Math.min(a.ids.length, b.ids.length);
  let start = 0;
  while (start < most && a.ids[start] === b.ids[start]) start++;
  let end = 0;
  while (end < most - start && a.ids[a.ids.length - 1 - end] === b.ids[b.ids.length - 1 - end]) end++;
  const kept = [[a, b], [b, a]].map(([one, other]) =>
    remaining(one, occurrences(other.ids, count), start, one.ids.length - end)
  );
  const [x, y] = kept;
  const diagonals = x.length + y.length + 3;
  const search = {
    forward: new Int32Array(2 * diagonals + 2),
    backward: new Int32Array(2 * diagonals + 2),
    zero: y.length + 1,
    bound: Math.max(roughRoot(diagonals), LEAST_COST_BOUND),
    x: Int32Array.from(x, (at) => a.ids[at]),
    y: Int32Array.from(y, (at) => b.ids[at]),
    drop: (at) => a.changed[x[at]] = 1,
    add: (at) => b.changed[y[at]] = 1,
  };
  solve(search, 0, x.length, 0, y.length);
}

function roughRoot(number) {
  let root = 1;
  for (let left = number; left > 0; left >>= 2) root <<= 1;
  return root;
}

function occurrences(ids, count) {
  const found = new Int32Array(count);
  for (const id of ids) found[id]++;
  return found;
}

const UNIQUE_HERE = 0;
const ORDINARY = 1;
const FREQUENT = 2;

/** The lines that are to be compared at all; the others are marked. */
function remaining({ ids, changed }, elsewhere, start, end) {
  const many = Math.min(roughRoot(ids.length), MOST_OCCURRENCES);
  const kinds = new Uint8Array(ids.length);
  for (let at = start; at < end; at++) {
    const times = elsewhere[ids[at]];
    kinds[at] = times === 0 ? UNIQUE_HERE : times >= many ? FREQUENT : ORDINARY;
  }
  const kept = [];
  for (let at = start; at < end; at++) {
    if (kinds[at] === ORDINARY || (kinds[at] === FREQUENT && !isAmongUnique(kinds, at, start, end - 1))) {
      kept.push(at);
    } else changed[at] = 1;
  }
  return kept;
}

/** Whether a frequent line stands between so many that are only here that it is taken for one of them. */
function isAmongUnique(kinds, at, start, end) {
  const [first, last] = [Math.max(start, at - WINDOW), Math.min(end, at + WINDOW)];
  let [unique, frequent] = [0, 2];
  for (const [step, limit] of [[-1, first], [1, last]]) {
    let here = 0;
    for (let each = at + step; step < 0 ? each >= limit : each <= limit; each += step) {
      if (kinds[each] === UNIQUE_HERE) here++;
      else if (kinds[each] === FREQUENT) frequent++;
      else break;
    }
    if (here === 0) return false;
    unique += here;
  }
  return frequent * RUN_WEIGHT < frequent + unique;
}

/** Solves a box: from `x1` to `x2` of the one side, from `y1` to `y2` of the other. */
function solve(search, x1, x2, y1, y2) {
  const { x, y } = search;
  for (;;) {
    while (x1 < x2 && y1 < y2 && x[x1] === y[y1]) x1++, y1++;
    while (x1 < x2 && y1 < y2 && x[x2 - 1] === y[y2 - 1]) x2--, y2--;
    if (x1 === x2) {
      for (let at = y1; at < y2; at++) search.add(at);
      return;
    }
    if (y1 === y2) {
      for (let at = x1; at < x2; at++) search.drop(at);
      return;
    }
    const [mx, my] = middle(search, x1, x2, y1, y2);
    solve(search, x1, mx, y1, my);
    [x1, y1] = [mx, my];
  }
}

/** A point of a shortest path through a box, where a search from its start meets one from its end. */
function middle({ x, y, forward, backward, zero, bound }, x1, x2, y1, y2) {
  const [least, most] = [x1 - y2, x2 - y1];
  const [head, tail] = [x1 - y1, x2 - y2];
  const odd = ((head - tail) & 1) !== 0;
  let [fmin, fmax, bmin, bmax] = [head, head, tail, tail];
  const FAR = 2 ** 31 - 1;
  forward[zero + head] = x1;
  backward[zero + tail] = x2;
  for (let cost = 1;; cost++) {
    if (fmin > least) forward[zero + --fmin - 1] = -1;
    else fmin++;
    if (fmax < most) forward[zero + ++fmax + 1] = -1;
    else fmax--;
    for (let d = fmax; d >= fmin; d -= 2) {
      const [below, above] = [forward[zero + d - 1], forward[zero + d + 1]];
      let at = below >= above ? below + 1 : above;
      while (at < x2 && at - d < y2 && x[at] === y[at - d]) at++;
      forward[zero + d] = at;
      if (odd && bmin <= d && d <= bmax && backward[zero + d] <= at) return [at, at - d];
    }
    if (bmin > least) backward[zero + --bmin - 1] = FAR;
    else bmin++;
    if (bmax < most) backward[zero + ++bmax + 1] = FAR;
    else bmax--;
    for (let d = bmax; d >= bmin; d -= 2) {
      const [below, above] = [backward[zero + d - 1], backward[zero + d + 1]];
      let at = below < above ? below : above - 1;
      while (at > x1 && at - d > y1 && x[at - 1] === y[at - d - 1]) at--;
      backward[zero + d] = at;
      if (!odd && fmin <= d && d <= fmax && at <= forward[zero + d]) return [at, at - d];
    }
    if (cost >= bound) {
      return furthest({ forward, backward, zero }, { x1, x2, y1, y2, fmin, fmax, bmin, bmax });
    }
  }
}

/** The point that is nearest to the end, or to the start, of all that were reached. */
function furthest({ forward, backward, zero }, { x1, x2, y1, y2, fmin, fmax, bmin, bmax }) {
  let [reached, fromStart] = [-1, [x1, y1]];
  for (let d = fmax; d >= fmin; d -= 2) {
    let at = Math.min(forward[zero + d], x2);
    if (y2 < at - d) at = y2 + d;
    if (reached < at + at - d) [reached, fromStart] = [at + at - d, [at, at - d]];
  }
  let [left, fromEnd] = [2 ** 31 - 1, [x2, y2]];
  for (let d = bmax; d >= bmin; d -= 2) {
    let at = Math.max(x1, backward[zero + d]);
    if (at - d < y1) at = y1 + d;
    if (at + at - d < left) [left, fromEnd] = [at + at - d, [at, at - d]];
  }
  return x2 + y2 - left < reached - (x1 + y1) ? fromStart : fromEnd;
}

/** A run of changed lines; an empty one stands between two lines that have not changed. */
class Group {
  constructor(side) {
    this.side = side;
    this.start = 0;
    this.end = 0;
    this.grow();
  }
  grow() {
    while (this.side.changed[this.end]) this.end++;
  }
  get isEmpty() {
    return this.end === this.start;
  }
  /** @returns whether there is a next one. */
  next() {
    if (this.end === this.side.lines.length) return false;
    this.start = this.end = this.end + 1;
    this.grow();
    return true;
  }
  previous() {
    this.end = --this.start;
    while (this.start > 0 && this.side.changed[this.start - 1]) this.start--;
  }
  slideDown() {
    const { ids, changed } = this.side;
    if (this.end >= ids.length || ids[this.start] !== ids[this.end]) return false;
    changed[this.start++] = 0;
    changed[this.end++] = 1;
    this.grow();
    return true;
  }
  slideUp() {
    const { ids, changed } = this.side;
    if (this.start === 0 || ids[this.start - 1] !== ids[this.end - 1]) return false;
    changed[--this.start] = 1;
    changed[--this.end] = 0;
    while (this.start > 0 && changed[this.start - 1]) this.start--;
    return true;
  }
}

/** Has the groups of one side slide: to where the other side has one too, or to where they look best. */
function compact(side, other, indents) {
  const group = new Group(side);
  const beside = new Group(other);
  for (;;) {
    if (!group.isEmpty) settle(group, beside, indents);
    if (!group.next()) return;
    beside.next();
  }
}

function settle(group, beside, indents) {
  let size, earliest, matching;
  do {
    size = group.end - group.start;
    matching = -1;
    while (group.slideUp()) beside.previous();
    earliest = group.end;
    if (!beside.isEmpty) matching = group.end;
    while (group.slideDown()) {
      beside.next();
      if (!beside.isEmpty) matching = group.end;
    }
  } while (size !== group.end - group.start);
  if (group.end === earliest || (matching < 0 && !indents)) return;
  const best = matching >= 0 ? undefined : bestEnd(group, size, earliest);
  while (matching >= 0 ? beside.isEmpty : group.end > best) {
    group.slideUp();
    beside.previous();
  }
}

const MOST_SLIDING = 100;

function bestEnd({ side, end }, size, earliest) {
  let best = -1, least;
  for (let at = Math.max(earliest, end - size - 1, end - MOST_SLIDING); at <= end; at++) {
    const score = [0, 0];
    addScore(side.lines, at, score);
    addScore(side.lines, at - size, score);
    if (best < 0 || difference(score, least) <= 0) [best, least] = [at, score];
  }
  return best;
}

const INDENT_WEIGHT = 60;
const difference = (a, b) => INDENT_WEIGHT * Math.sign(a[0] - b[0]) + a[1] - b[1];

const MOST_INDENT = 200;
const MOST_BLANKS = 20;
const PENALTY = {
  startOfFile: 1,
  endOfFile: 21,
  blank: -30,
  blankAfter: 6,
  indented: [-4, 10],
  outdented: [24, 17],
  dedented: [23, 17],
};

/** Columns before the first visible character; -1 for a blank line. */
function indentOf(line) {
  let columns = 0;
  for (let at = 0; at < line.length; at++) {
    const char = line[at];
    if (char === " ") columns++;
    else if (char === "\t") columns += 8 - columns % 8;
    else if (!"\n\v\f\r".includes(char)) return columns;
    if (columns >= MOST_INDENT) return MOST_INDENT;
  }
  return -1;
}

/** The next line that is not blank, from one on: its indent, and how many blank ones come before it. */
function nextIndent(lines, from, step) {
  let blanks = 0;
  for (let at = from; at >= 0 && at < lines.length; at += step) {
    const indent = indentOf(lines[at]);
    if (indent !== -1) return { indent, blanks };
    if (++blanks === MOST_BLANKS) return { indent: 0, blanks };
  }
  return { indent: -1, blanks };
}

/** Adds what is to be said against a boundary between groups before a line: effective indent, and penalty. */
function addScore(lines, split, score) {
  const atEnd = split >= lines.length;
  const own = atEnd ? -1 : indentOf(lines[split]);
  const before = nextIndent(lines, split - 1, -1);
  const after = nextIndent(lines, split + 1, 1);
  const blanksAfter = own === -1 ? 1 + after.blanks : 0;
  const blanks = before.blanks + blanksAfter;
  const indent = own === -1 ? after.indent : own;
  const withBlanks = blanks > 0 ? 1 : 0;
  if (before.indent === -1 && before.blanks === 0) score[1] += PENALTY.startOfFile;
  if (atEnd) score[1] += PENALTY.endOfFile;
  score[1] += PENALTY.blank * blanks + PENALTY.blankAfter * blanksAfter;
  score[0] += indent;
  if (indent === -1 || before.indent === -1 || indent === before.indent) return;
  if (indent > before.indent) score[1] += PENALTY.indented[withBlanks];
  else {
    const outdented = after.indent !== -1 && after.indent > indent;
    score[1] += (outdented ? PENALTY.outdented : PENALTY.dedented)[withBlanks];
  }
}
