/**
 * A map from non-negative integers to values whose copies share structure: a radix trie, 32 ways per level, most
 * significant digit first, in which a subtree with one key is just its leaf.
 *
 * It makes snapshots cost nothing: {@link PersistentMap.fork} is O(1), a change copies one path, and
 * {@link PersistentMap.changes} skips what two forks still share.
 */

const BITS = 5;
const WIDTH = 1 << BITS;
/** Up to this level a digit can be had by a 32-bit shift. */
const SHIFT_LEVELS = 6;

/** Names the owner of nodes that may be changed in place. A new epoch freezes everything made before it. */
export class Epoch {
  readonly brand = "epoch";
}

class Leaf<V> {
  constructor(readonly key: number, readonly value: V) {}
}

class Branch<V> {
  constructor(readonly epoch: Epoch, readonly slots: (TrieNode<V> | undefined)[], public used: number) {}
}

type TrieNode<V> = Leaf<V> | Branch<V>;

/** One key at which two maps differ. */
export interface MapChange<V> {
  readonly key: number;
  readonly before: V | undefined;
  readonly after: V | undefined;
}

export class PersistentMap<V> {
  #root: TrieNode<V> | undefined;
  /** Keys are below 32 ** levels. */
  #levels = 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: number): V | undefined {
    if (key >= WIDTH ** this.#levels) return undefined;
    let node = this.#root;
    for (let level = this.#levels - 1; node instanceof Branch; level--) node = node.slots[digit(key, level)];
    return node?.key === key ? node.value : undefined;
  }

  /** @param key An integer from 0 to 2^53 - 1. @param epoch Nodes of this epoch may be changed in place. */
  set(key: number, value: V, epoch: Epoch): void {
    for (; key >= WIDTH ** this.#levels; this.#levels++) {
      if (this.#root instanceof Branch) this.#root = singleton(this.#root, 0, epoch);
    }
    if (this.get(key) === undefined) this.#size++;
    this.#root = insert(this.#root, this.#levels - 1, new Leaf(key, value), epoch);
  }

  delete(key: number, epoch: Epoch): void {
    if (this.get(key) === undefined) return;
    this.#size--;
    this.#root = remove(this.#root, this.#levels - 1, key, epoch);
  }

  /** An independent map of the same contents. The caller must go on with a new epoch for both. */
  fork(): PersistentMap<V> {
    const copy = new PersistentMap<V>();
    copy.#root = this.#root;
    copy.#levels = this.#levels;
    copy.#size = this.#size;
    return copy;
  }

  /** Visits values in key order, from `first` on, until `visit` returns false. The map must not change meanwhile. */
  visit(visit: (value: V, key: number) => boolean, first = 0): void {
    if (first < WIDTH ** this.#levels) walk(this.#root, this.#levels - 1, first, visit);
  }

  /** Every key whose value is not the same (by identity) in `before` and `after`; shared subtrees are skipped. */
  static changes<V>(before: PersistentMap<V>, after: PersistentMap<V>): MapChange<V>[] {
    const found: MapChange<V>[] = [];
    const levels = Math.max(before.#levels, after.#levels);
    collect(before.#lifted(levels), after.#lifted(levels), found);
    return found;
  }

  #lifted(levels: number): TrieNode<V> | undefined {
    let root = this.#root;
    for (let level = this.#levels; level < levels && root instanceof Branch; level++) {
      root = singleton(root, 0, new Epoch());
    }
    return root;
  }
}

function digit(key: number, level: number): number {
  return level < SHIFT_LEVELS
    ? (key >>> (BITS * level)) & (WIDTH - 1)
    : Math.floor(key / 2 ** (BITS * level)) % WIDTH;
}

function singleton<V>(child: TrieNode<V>, at: number, epoch: Epoch): Branch<V> {
  const slots = new Array<TrieNode<V> | undefined>(WIDTH).fill(undefined);
  slots[at] = child;
  return new Branch(epoch, slots, 1);
}

function owned<V>(branch: Branch<V>, epoch: Epoch): Branch<V> {
  return branch.epoch === epoch ? branch : new Branch(epoch, branch.slots.slice(), branch.used);
}

function insert<V>(node: TrieNode<V> | undefined, level: number, leaf: Leaf<V>, epoch: Epoch): TrieNode<V> {
  if (node === undefined) return leaf;
  const at = digit(leaf.key, level);
  if (node instanceof Leaf) {
    if (node.key === leaf.key) return leaf;
    return insert(singleton<V>(node, digit(node.key, level), epoch), level, leaf, epoch);
  }
  const child = node.slots[at];
  const next = insert(child, level - 1, leaf, epoch);
  if (next === child) return node;
  const own = owned(node, epoch);
  own.slots[at] = next;
  if (child === undefined) own.used++;
  return own;
}

function remove<V>(
  node: TrieNode<V> | undefined,
  level: number,
  key: number,
  epoch: Epoch,
): TrieNode<V> | undefined {
  if (!(node instanceof Branch)) return undefined;
  const at = digit(key, level);
  const child = node.slots[at];
  const next = remove(child, level - 1, key, epoch);
  if (next === child) return node;
  const own = owned(node, epoch);
  own.slots[at] = next;
  if (next === undefined && --own.used === 0) return undefined;
  if (own.used > 1) return own;
  const only = own.slots.find((slot) => slot !== undefined);
  return only instanceof Leaf ? only : own;
}

function walk<V>(
  node: TrieNode<V> | undefined,
  level: number,
  first: number,
  visit: (value: V, key: number) => boolean,
): boolean {
  if (node === undefined) return true;
  if (node instanceof Leaf) return node.key < first || visit(node.value, node.key);
  const start = first === 0 ? 0 : digit(first, level);
  for (let at = start; at < WIDTH; at++) {
    if (!walk(node.slots[at], level - 1, at === start ? first : 0, visit)) return false;
  }
  return true;
}

function collect<V>(
  before: TrieNode<V> | undefined,
  after: TrieNode<V> | undefined,
  found: MapChange<V>[],
): void {
  if (before === after) return;
  if (before instanceof Branch && after instanceof Branch) {
    for (let at = 0; at < WIDTH; at++) collect(before.slots[at], after.slots[at], found);
    return;
  }
  const old = leaves(before);
  const now = leaves(after);
  for (const [key, value] of old) {
    if (now.get(key) !== value) found.push({ key, before: value, after: now.get(key) });
  }
  for (const [key, value] of now) if (!old.has(key)) found.push({ key, before: undefined, after: value });
}

function leaves<V>(node: TrieNode<V> | undefined, into = new Map<number, V>()): Map<number, V> {
  if (node instanceof Leaf) into.set(node.key, node.value);
  else if (node !== undefined) { for (const slot of node.slots) leaves(slot, into); }
  return into;
}
