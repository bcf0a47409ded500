/** Headers of the web. */

/** What names of headers, and methods, are made of. */
export const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

const checkedName = (name) => {
  if (!TOKEN.test(`${name}`)) throw new TypeError(`Headers.append: "${name}" is an invalid header name.`);
  return `${name}`.toLowerCase();
};
const checkedValue = (value) => {
  const text = `${value}`.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
  // deno-lint-ignore no-control-regex -- it is these that are refused
  if (/[\0\r\n]|[^\x00-\xff]/.test(text)) throw new TypeError(`${text} is not a legal HTTP header value`);
  return text;
};

export class Headers {
  #map = new Map();
  constructor(init) {
    if (init === undefined || init === null) return;
    if (typeof init !== "object") throw new TypeError("Headers: expected a sequence or an object");
    const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
    for (const pair of pairs) {
      const [name, value, ...rest] = pair;
      if (value === undefined || rest.length > 0) throw new TypeError("Headers: expected name/value pairs");
      this.append(name, value);
    }
  }
  append(name, value) {
    const key = checkedName(name);
    this.#map.set(key, [...this.#map.get(key) ?? [], checkedValue(value)]);
  }
  delete(name) {
    this.#map.delete(checkedName(name));
  }
  get(name) {
    return this.#map.get(checkedName(name))?.join(", ") ?? null;
  }
  getSetCookie() {
    return [...this.#map.get("set-cookie") ?? []];
  }
  has(name) {
    return this.#map.has(checkedName(name));
  }
  set(name, value) {
    this.#map.set(checkedName(name), [checkedValue(value)]);
  }
  forEach(callback, self) {
    for (const [name, value] of this) callback.call(self, value, name, this);
  }
  *entries() {
    for (const name of [...this.#map.keys()].sort()) {
      const values = this.#map.get(name) ?? [];
      if (name === "set-cookie") { for (const value of values) yield [name, value]; }
      else yield [name, values.join(", ")];
    }
  }
  *keys() {
    for (const [name] of this.entries()) yield name;
  }
  *values() {
    for (const [, value] of this.entries()) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  get [Symbol.toStringTag]() {
    return "Headers";
  }
  [Symbol.for("nodejs.util.inspect.custom")](_depth, _options, inspect) {
    return `Headers ${inspect(Object.fromEntries(this.entries()))}`;
  }
}
