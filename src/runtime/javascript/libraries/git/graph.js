/**
 * `log --graph`: lines of history beside commits. A row shows where the lines of the commits before it go on: `columns`
 * are those above it, `next` those below, and a mapping says which place of a row is on its way to which column.
 */

const PADDING = "padding";
const PRE_COMMIT = "pre-commit";
const COMMIT = "commit";
const POST_MERGE = "post-merge";
const COLLAPSING = "collapsing";

export class Graph {
  #commit;
  #parents = [];
  #columns = [];
  #next = [];
  #mapping = [];
  #before = [];
  #width = 0;
  #state = PADDING;
  #last = PADDING;
  #expansions = 0;
  #at = 0;
  #lastAt = 0;
  #layout = 0;
  #added = 0;
  #lastAdded = 0;

  /** Whether there is nothing left to be drawn of a commit but what goes on. */
  get isDone() {
    return this.#state === PADDING;
  }

  /** Goes on to a commit. @param parents Those of it that are shown. */
  begin(commit, parents) {
    this.#commit = commit;
    this.#parents = parents;
    this.#lastAt = this.#at;
    this.#arrange();
    this.#expansions = 0;
    // No row of this state is drawn yet: the last one is still that of the commit before.
    this.#state = this.#needsRoom ? PRE_COMMIT : COMMIT;
  }

  #enter(state) {
    this.#last = this.#state;
    this.#state = state;
  }

  #arrange() {
    this.#columns = this.#next;
    this.#next = [];
    this.#mapping = [];
    this.#width = 0;
    this.#lastAdded = this.#added;
    this.#added = 0;
    let seen = false;
    for (let at = 0; at < this.#columns.length || !seen; at++) {
      const each = this.#columns[at] ?? this.#commit;
      if (each !== this.#commit) {
        this.#place(each, -1);
        continue;
      }
      seen = true;
      this.#at = at;
      this.#layout = -1;
      for (const parent of this.#parents) this.#place(parent, at);
      if (this.#parents.length === 0) this.#width += 2;
    }
    this.#shrink();
  }

  #shrink() {
    while (this.#mapping.length > 1 && (this.#mapping.at(-1) ?? -1) < 0) this.#mapping.pop();
  }

  #place(commit, from) {
    let column = this.#next.indexOf(commit);
    if (column < 0) column = this.#next.push(commit) - 1;
    let at;
    if (this.#parents.length > 1 && from >= 0 && this.#layout === -1) {
      // The first parent of a merge: to its left, or straight below.
      const distance = from - column;
      const shift = distance > 1 ? 2 * distance - 3 : 1;
      this.#layout = distance > 0 ? 0 : 1;
      this.#added = this.#parents.length + this.#layout - 2;
      at = this.#width + (this.#layout - 1) * shift;
      this.#width += 2 * this.#layout;
    } else if (this.#added > 0 && column === this.#mapping[this.#width - 2]) {
      at = this.#width - 2;
      this.#added = -1;
    } else {
      at = this.#width;
      this.#width += 2;
    }
    for (let each = this.#mapping.length; each < at; each++) this.#mapping[each] = -1;
    this.#mapping[at] = column;
  }

  get #dashes() {
    return this.#parents.length + this.#layout - 3;
  }
  get #needsRoom() {
    return this.#parents.length >= 3 && this.#at < this.#columns.length - 1 &&
      this.#expansions < 2 * this.#dashes;
  }
  get #isSettled() {
    return this.#mapping.every((target, at) => target < 0 || target === at >> 1);
  }
  #settle() {
    this.#enter(this.#isSettled ? PADDING : COLLAPSING);
  }

  /** The next row, as wide as all of this commit, and whether it is the commit's own. */
  row() {
    const own = this.#state === COMMIT;
    const draw = {
      [PADDING]: () => "| ".repeat(this.#next.length),
      [PRE_COMMIT]: () => this.#drawRoom(),
      [COMMIT]: () => this.#drawCommit(),
      [POST_MERGE]: () => this.#drawParents(),
      [COLLAPSING]: () => this.#drawCollapsing(),
    }[this.#state];
    return { text: draw().padEnd(this.#width), own };
  }

  /** A row above the commit. */
  padding() {
    if (this.#state !== COMMIT) return this.row().text;
    this.#last = PADDING;
    const wide = " ".repeat(Math.max(1, 2 * this.#parents.length - 3));
    return this.#columns.map((each) => each === this.#commit && this.#parents.length > 2 ? `|${wide}` : "| ")
      .join("")
      .padEnd(this.#width);
  }

  /** Each column above, and the commit itself if it is in none of them. */
  *#places() {
    let seen = false;
    for (let at = 0; at < this.#columns.length || !seen; at++) {
      const commit = this.#columns[at] ?? this.#commit;
      seen ||= commit === this.#commit;
      yield { at, commit, isOwn: commit === this.#commit };
    }
  }

  /** Makes room for a merge of many. */
  #drawRoom() {
    let text = "";
    let seen = false;
    for (const { at, isOwn } of this.#places()) {
      if (isOwn) {
        seen = true;
        text += `|${" ".repeat(this.#expansions)}`;
      } else if (seen && this.#expansions === 0) {
        text += this.#last === POST_MERGE && this.#lastAt < at ? "\\" : "|";
      } else text += seen ? "\\" : "|";
      text += " ";
    }
    this.#expansions++;
    if (!this.#needsRoom) this.#enter(COMMIT);
    return text;
  }

  #drawCommit() {
    let text = "";
    let seen = false;
    for (const { at, isOwn } of this.#places()) {
      if (isOwn) {
        seen = true;
        text += "*";
        if (this.#parents.length > 2) {
          text += `${"--".repeat(Math.max(0, this.#dashes)).slice(0, -1)}.`.replace(/^\.$/, "");
        }
      } else if (seen && this.#added > 1) text += "\\";
      else if (seen && this.#added === 1) {
        text += this.#last === POST_MERGE && this.#lastAdded > 0 && this.#lastAt < at ? "\\" : "|";
      } else {
        const moves = this.#last === COLLAPSING && this.#before[2 * at + 1] === at &&
          this.#mapping[2 * at] < at;
        text += moves ? "/" : "|";
      }
      text += " ";
    }
    if (this.#parents.length > 1) this.#enter(POST_MERGE);
    else this.#settle();
    return text;
  }

  #drawParents() {
    let text = "";
    let seen = false;
    let passed = false;
    for (const { at, commit, isOwn } of this.#places()) {
      if (isOwn) {
        seen = true;
        let kind = this.#layout;
        for (let each = 0; each < this.#parents.length; each++) {
          text += "/|\\"[kind];
          if (kind < 2) kind++;
          else if (this.#added > 0 || each < this.#parents.length - 1) text += " ";
        }
        if (this.#added === 0) text += " ";
      } else if (seen) text += this.#added > 0 ? "\\ " : "| ";
      else {
        text += "|";
        if (this.#layout !== 0 || at !== this.#at - 1) text += passed ? "_" : " ";
      }
      if (commit === this.#parents[0]) passed = true;
    }
    this.#settle();
    return text;
  }

  #drawCollapsing() {
    const old = this.#mapping;
    const now = old.map(() => -1);
    let edge = -1, target = -1;
    const run = (to, at, start) => {
      if (edge !== -1) return;
      [edge, target] = [start, to];
      for (let each = to * 2 + 3; each < at - 2; each += 2) now[each] = to;
    };
    for (const [at, to] of old.entries()) {
      if (to < 0) continue;
      if (to * 2 === at) now[at] = to;
      else if (now[at - 1] < 0) {
        now[at - 1] = to;
        run(to, at, at);
      } else if (now[at - 1] !== to) {
        now[at - 2] = to;
        run(to, at, at - 1);
      }
    }
    this.#before = [...now];
    this.#mapping = now;
    if (now.at(-1) < 0) now.pop();
    let text = "";
    let level = false;
    for (const [at, to] of now.entries()) {
      if (to < 0) text += " ";
      else if (to * 2 === at) text += "|";
      else if (to === target && at !== edge - 1) {
        if (at !== to * 2 + 3) now[at] = -1;
        level = true;
        text += "_";
      } else {
        if (level && at < edge) now[at] = -1;
        text += "/";
      }
    }
    if (this.#isSettled) this.#enter(PADDING);
    return text;
  }
}

/**
 * Texts beside a graph.
 *
 * @param entries Triples of a commit's id, its shown parents, and its text. @param separate As shapes have it.
 */
export function drawn(entries, separate) {
  const graph = new Graph();
  const lines = [];
  for (const [number, [oid, parents, text]] of entries.entries()) {
    graph.begin(oid, parents);
    if (number > 0 && separate === "between") lines.push(graph.padding());
    const words = text.replace(/\n$/, "").split("\n");
    for (let row = graph.row();; row = graph.row()) {
      lines.push(row.text + (row.own ? words.shift() : ""));
      if (row.own) break;
    }
    for (const line of words) lines.push(graph.row().text + line);
    while (!graph.isDone) lines.push(graph.row().text);
    // One that ends its last line itself has an empty one after it.
    if (separate === "end" && text.endsWith("\n")) lines.push(graph.row().text);
  }
  return lines.join("\n") + (separate === "line" ? "" : "\n");
}
