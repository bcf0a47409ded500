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

  let attach;
  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    constructor(init = "") {
      if (typeof init === "object" && init !== null) {
        const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
        for (const pair of pairs) {
          const [name, value, ...rest] = pair;
          if (value === undefined || rest.length > 0) {
            throw new TypeError("Each query pair must be a [name, value] pair");
          }
          this.#pairs.push([`${name}`, `${value}`]);
        }
      } else this.#parse(`${init}`);
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
    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value];
    }
    *keys() {
      for (const [name] of this.#pairs) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return this.#pairs.map(([name, value]) => `${escape(name)}=${escape(value)}`).join("&");
    }
    [Symbol.for("nodejs.util.inspect.custom")]() {
      const pairs = this.#pairs.map(([name, value]) => `${hooks.inspect(name)} => ${hooks.inspect(value)}`);
      return pairs.length > 0 ? `URLSearchParams { ${pairs.join(", ")} }` : "URLSearchParams {}";
    }
  }

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
  hooks.define("URL", URL);
  hooks.define("URLSearchParams", URLSearchParams);
}
