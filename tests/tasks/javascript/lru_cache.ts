// A generic cache, a decorator by hand, and types that do nothing when it runs.
interface Cache<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  readonly size: number;
}

abstract class Base<K, V> implements Cache<K, V> {
  abstract get(key: K): V | undefined;
  abstract set(key: K, value: V): void;
  abstract get size(): number;
  protected hits = 0;
  protected misses = 0;

  get stats(): string {
    return `${this.hits} hits, ${this.misses} misses`;
  }
}

class LruCache<K extends PropertyKey, V> extends Base<K, V> {
  static readonly DEFAULT_CAPACITY = 3;
  readonly #entries: Map<K, V> = new Map();

  constructor(private readonly capacity: number = LruCache.DEFAULT_CAPACITY) {
    super();
  }

  override get(key: K): V | undefined {
    if (!this.#entries.has(key)) {
      this.misses++;
      return undefined;
    }
    this.hits++;
    const value = this.#entries.get(key)!;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  override set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.capacity) this.#entries.delete(this.#entries.keys().next().value as K);
  }

  override get size(): number {
    return this.#entries.size;
  }

  *[Symbol.iterator](): IterableIterator<[K, V]> {
    yield* this.#entries;
  }
}

function memoize<A extends unknown[], R>(
  fn: (...args: A) => R,
  cache: Cache<string, R> = new LruCache<string, R>(100),
) {
  return (...args: A): R => {
    const key = JSON.stringify(args);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const value = fn(...args);
    cache.set(key, value);
    return value;
  };
}

const cache = new LruCache<string, number>();
for (const [i, key] of ["a", "b", "c", "a", "d"].entries()) {
  if (cache.get(key) === undefined) cache.set(key, i);
}
console.log([...cache], cache.size, cache.stats);

const fib: (n: number) => bigint = memoize((n: number): bigint =>
  n < 2 ? BigInt(n) : fib(n - 1) + fib(n - 2)
);
console.log(fib(90), typeof fib(1));

type Point = { x: number; y: number };
type Frozen<T> = { readonly [K in keyof T]: T[K] };
const origin = Object.freeze({ x: 0, y: 0 }) satisfies Frozen<Point>;
console.log(origin, "x" in origin);
