/** URL and URLSearchParams. The host's own parser does the parsing. */
export function installUrl(host, hooks) {
  const parse = (href, base) => {
    const fields = host.parseUrl(
      `${href}`.toWellFormed().replaceAll("\0", "%00"),
      base === undefined ? "" : `${base}`.toWellFormed(),
    );
    if (fields === undefined) {
      const error = new TypeError("Invalid URL");
      error.code = "ERR_INVALID_URL";
      error.input = `${href}`.slice(0, 500);
      if (base !== undefined) error.base = `${base}`.slice(0, 500);
      throw error;
    }
    return JSON.parse(fields);
  };

  const escape = (text) =>
    encodeURIComponent(`${text}`.toWellFormed()).replace(
      /[!'()~]/g,
      (char) => "%" + char.charCodeAt(0).toString(16).toUpperCase(),
    ).replaceAll("%20", "+");
  const unescape = (text) => {
    const plain = text.replaceAll("+", " ");
    if (!plain.includes("%")) return plain;
    const bytes = [];
    for (const part of plain.split(/(%[\da-fA-F]{2})/)) {
      if (/^%[\da-fA-F]{2}$/.test(part)) bytes.push(parseInt(part.slice(1), 16));
      else if (part) { for (const byte of hooks.encodeUtf8(part)) bytes.push(byte); }
    }
    return hooks.decodeUtf8(new Uint8Array(bytes), false);
  };

  const { apply } = Reflect;
  const { defineProperty, getPrototypeOf } = Object;
  const custom = Symbol.for("nodejs.util.inspect.custom");
  const textOf = (value) => `${value}`.toWellFormed();
  const coded = (code, message) => Object.assign(new TypeError(message), { code });

  /** What goes through the pairs as they are when it comes to them. */
  const iterators = new WeakMap();
  const iteratorPrototype = Object.create(getPrototypeOf(getPrototypeOf([][Symbol.iterator]())), {
    [Symbol.toStringTag]: { value: "URLSearchParams Iterator", configurable: true },
  });
  Object.assign(iteratorPrototype, {
    next() {
      const state = iterators.get(this);
      if (!state) throw invalidThis("URLSearchParamsIterator");
      const pairs = state.pairs();
      if (state.at >= pairs.length) return { value: undefined, done: true };
      return { value: state.select(pairs[state.at++]), done: false };
    },
    [custom](depth, { breakLength = 80 } = {}) {
      const state = iterators.get(this);
      if (!state) throw invalidThis("URLSearchParamsIterator");
      if (depth < 0) return "[Object]";
      const left = state.pairs().slice(state.at).map((pair) => hooks.inspect(state.select(pair)));
      const text = left.join(", ");
      if (text.length > breakLength) return `URLSearchParams Iterator {\n  ${left.join(",\n  ")} }`;
      return `URLSearchParams Iterator { ${text} }`;
    },
  });
  defineProperty(iteratorPrototype, custom, { enumerable: false });
  function iteratorOf(pairs, select) {
    const iterator = Object.create(iteratorPrototype);
    iterators.set(iterator, { pairs, select, at: 0 });
    return iterator;
  }

  let attach;
  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    constructor(init = "") {
      if (init === null) return;
      if (typeof init !== "object" && typeof init !== "function") return this.#parse(`${init}`);
      const iterator = init[Symbol.iterator];
      if (iterator !== undefined && iterator !== null && typeof iterator !== "function") {
        throw coded("ERR_ARG_NOT_ITERABLE", "Query pairs must be iterable");
      }
      for (const pair of iterator ? init : Object.entries(init)) {
        const isTuple = pair !== null && /^(?:object|function)$/.test(typeof pair) &&
          typeof pair[Symbol.iterator] === "function";
        const tuple = isTuple ? [...pair] : [];
        if (tuple.length !== 2) {
          throw coded("ERR_INVALID_TUPLE", "Each query pair must be an iterable [name, value] tuple");
        }
        this.#pairs.push(tuple.map((each) => `${each}`.toWellFormed()));
      }
    }
    #parse(text) {
      this.#pairs = [];
      for (const part of (text.startsWith("?") ? text.slice(1) : text).split("&")) {
        if (part === "") continue;
        const at = part.indexOf("=");
        this.#pairs.push(
          at < 0 ? [unescape(part), ""] : [unescape(part.slice(0, at)), unescape(part.slice(at + 1))],
        );
      }
    }
    static {
      attach = (params, changed) => {
        params.#changed = () => changed(params.toString());
        return (text) => params.#parse(text);
      };
    }
    get size() {
      return this.#pairs.length;
    }
    append(name, value) {
      this.#pairs.push([`${name}`, `${value}`]);
      this.#changed();
    }
    delete(name, value) {
      this.#pairs = this.#pairs.filter((pair) =>
        pair[0] !== `${name}` || (value !== undefined && pair[1] !== `${value}`)
      );
      this.#changed();
    }
    get(name) {
      return this.#pairs.find((pair) => pair[0] === `${name}`)?.[1] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter((pair) => pair[0] === `${name}`).map((pair) => pair[1]);
    }
    has(name, value) {
      return this.#pairs.some((pair) =>
        pair[0] === `${name}` && (value === undefined || pair[1] === `${value}`)
      );
    }
    set(name, value) {
      const first = this.#pairs.findIndex((pair) => pair[0] === `${name}`);
      if (first < 0) this.#pairs.push([`${name}`, `${value}`]);
      else {
        this.#pairs[first][1] = `${value}`;
        this.#pairs = this.#pairs.filter((pair, index) => index <= first || pair[0] !== `${name}`);
      }
      this.#changed();
    }
    sort() {
      this.#pairs.sort((a, b) => a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0);
      this.#changed();
    }
    forEach(callback, self) {
      for (const [name, value] of this) callback.call(self, value, name, this);
    }
    entries() {
      return iteratorOf(() => this.#pairs, ([name, value]) => [name, value]);
    }
    keys() {
      return iteratorOf(() => this.#pairs, ([name]) => name);
    }
    values() {
      return iteratorOf(() => this.#pairs, ([, value]) => value);
    }
    toString() {
      return this.#pairs.map(([name, value]) => `${escape(name)}=${escape(value)}`).join("&");
    }
    static is(value) {
      return value !== null && typeof value === "object" && #pairs in value;
    }
    [custom](depth, { breakLength = 80 } = {}) {
      if (depth < 0) return "[Object]";
      const { name } = this.constructor;
      const pairs = this.#pairs.map(([key, value]) => `${hooks.inspect(key)} => ${hooks.inspect(value)}`);
      const text = pairs.join(", ");
      if (text.length > breakLength) return `${name} {\n  ${pairs.join(",\n  ")} }`;
      return pairs.length > 0 ? `${name} { ${text} }` : `${name} {}`;
    }
  }
  const { is: isParams } = URLSearchParams;
  delete URLSearchParams.is;
  const invalidThis = (name) => coded("ERR_INVALID_THIS", `Value of "this" must be of type ${name}`);
  const ARGUMENTS = {
    append: ["name", "value"],
    delete: ["name"],
    get: ["name"],
    getAll: ["name"],
    has: ["name"],
    set: ["name", "value"],
    sort: [],
    forEach: [],
    entries: [],
    keys: [],
    values: [],
    toString: [],
  };
  const parameters = URLSearchParams.prototype;
  for (const [name, wanted] of Object.entries(ARGUMENTS)) {
    const plain = parameters[name];
    const checked = {
      [name](...args) {
        if (!isParams(this)) throw invalidThis("URLSearchParams");
        if (name === "forEach" && typeof args[0] !== "function") {
          throw coded(
            "ERR_INVALID_ARG_TYPE",
            `The "callback" argument must be of type function. Received ${
              args[0] === null ? "null" : typeof args[0]
            }`,
          );
        }
        if (args.length < wanted.length) {
          const names = wanted.map((each) => `"${each}"`).join(" and ");
          throw coded(
            "ERR_MISSING_ARGS",
            `The ${names} argument${wanted.length > 1 ? "s" : ""} must be specified`,
          );
        }
        const texts = name === "forEach" ? 0 : 2;
        return apply(
          plain,
          this,
          args.map((arg, at) => at < texts && (arg !== undefined || at < wanted.length) ? textOf(arg) : arg),
        );
      },
    }[name];
    defineProperty(checked, "length", { value: plain.length, configurable: true });
    defineProperty(parameters, name, {
      value: checked,
      writable: true,
      configurable: true,
      enumerable: true,
    });
  }
  defineProperty(parameters, Symbol.iterator, {
    value: parameters.entries,
    writable: true,
    configurable: true,
  });
  defineProperty(parameters, Symbol.toStringTag, { value: "URLSearchParams", configurable: true });

  const FIELDS = [
    "href",
    "origin",
    "protocol",
    "username",
    "password",
    "host",
    "hostname",
    "port",
    "pathname",
    "search",
    "hash",
  ];
  class URL {
    #fields;
    #params;
    #reparse;
    constructor(url, base) {
      if (arguments.length === 0) throw coded("ERR_MISSING_ARGS", 'The "url" argument must be specified');
      this.#fields = parse(url, base);
      this.#params = new URLSearchParams(this.#fields.search);
      this.#reparse = attach(this.#params, (search) => this.#set("search", search, false));
    }
    #set(name, value, reparse = true) {
      const fields = host.setUrl(this.#fields.href, name, `${value}`.toWellFormed());
      if (fields === undefined) throw new TypeError(`Invalid URL: '${`${value}`.slice(0, 500)}'`);
      this.#fields = JSON.parse(fields);
      if (reparse) this.#reparse(this.#fields.search);
    }
    get searchParams() {
      return this.#params;
    }
    toString() {
      return this.#fields.href;
    }
    toJSON() {
      return this.#fields.href;
    }
    static canParse(url, base) {
      if (arguments.length === 0) throw coded("ERR_MISSING_ARGS", 'The "url" argument must be specified');
      try {
        return Boolean(parse(url, base));
      } catch {
        return false;
      }
    }
    static parse(url, base) {
      return URL.canParse(url, base) ? new URL(url, base) : null;
    }
    static {
      for (const name of FIELDS) {
        Object.defineProperty(this.prototype, name, {
          get() {
            return this.#fields[name];
          },
          set: name === "origin" ? undefined : function (value) {
            this.#set(name, value);
          },
          enumerable: true,
          configurable: true,
        });
      }
    }
    [Symbol.for("nodejs.util.inspect.custom")](_depth, _options, inspect) {
      const shown = {};
      for (const name of FIELDS) {
        if (name === "hash") shown.searchParams = this.#params;
        shown[name] = this[name];
      }
      return `URL ${inspect(shown)}`;
    }
  }
  defineProperty(URL.prototype, Symbol.toStringTag, { value: "URL", configurable: true });
  hooks.define("URL", URL);
  hooks.define("URLSearchParams", URLSearchParams);
}
