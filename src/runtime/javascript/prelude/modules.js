/** Modules that come with the runtime (`fs`, `path`, `wasmbox:host`, …), and what imports call. */
export function installModules(host, hooks, importCheck) {
  const CWD = host.cwd();

  function normalize(path) {
    const absolute = path.startsWith("/");
    const parts = [];
    for (const part of path.split("/")) {
      if (part === "" || part === ".") continue;
      if (part !== "..") parts.push(part);
      else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
      else if (!absolute) parts.push("..");
    }
    const joined = parts.join("/") + (path.endsWith("/") && parts.length > 0 ? "/" : "");
    return absolute ? `/${joined}` : joined || (path.endsWith("/") ? "./" : ".");
  }
  const trim = (path) => path.length > 1 ? path.replace(/(?<=[^/])\/+$/, "") : path;
  const path = {
    sep: "/",
    delimiter: ":",
    normalize,
    isAbsolute: (name) => name.startsWith("/"),
    join: (...parts) => normalize(parts.filter((part) => part !== "").join("/")),
    resolve: (...parts) => {
      let resolved = "";
      for (const part of [CWD, ...parts]) {
        resolved = part.startsWith("/") ? part : part ? `${resolved}/${part}` : resolved;
      }
      return trim(normalize(resolved));
    },
    dirname: (name) => {
      const at = trim(name).lastIndexOf("/");
      return at < 0 ? "." : at === 0 ? "/" : trim(name.slice(0, at));
    },
    basename: (name, suffix = "") => {
      const base = trim(name).slice(trim(name).lastIndexOf("/") + 1);
      return suffix && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base;
    },
    extname: (name) => {
      const base = path.basename(name);
      const at = base.lastIndexOf(".");
      return at <= 0 ? "" : base.slice(at);
    },
    relative: (from, to) => {
      const a = path.resolve(from).split("/").filter(Boolean);
      const b = path.resolve(to).split("/").filter(Boolean);
      let same = 0;
      while (same < a.length && same < b.length && a[same] === b[same]) same++;
      return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/");
    },
    parse: (name) => {
      const base = path.basename(name);
      const ext = path.extname(name);
      const root = name.startsWith("/") ? "/" : "";
      const dir = name.includes("/") ? path.dirname(name) : "";
      return { root, dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
    },
    format: ({ dir, root = "", base, name = "", ext = "" }) => {
      const file = base ?? name + ext;
      return dir ? (dir === root ? dir + file : `${dir}/${file}`) : root + file;
    },
  };
  path.posix = path;

  /** Calls the host; a failure gets the stack of the caller and Node's fields. */
  function system(call, name, file) {
    try {
      return call();
    } catch (caught) {
      if (typeof caught?.code !== "string") throw caught;
      const error = new Error(caught.message);
      error.code = caught.code;
      error.syscall = name;
      error.path = file;
      throw error;
    }
  }
  function located(name) {
    const text = name instanceof URL
      ? decodeURIComponent(name.pathname)
      : name instanceof Uint8Array
      ? hooks.decodeUtf8(name, false)
      : name;
    if (typeof text !== "string" || text.includes("\0")) {
      const error = new TypeError(
        `The "path" must be a string without NUL, not ${hooks.inspect(name, { bound: 200 })}`,
      );
      error.code = "ERR_INVALID_ARG_VALUE";
      throw error;
    }
    return text.startsWith("/") ? text : `${CWD}/${text}`;
  }
  const encodingOf = (options) => typeof options === "string" ? options : options?.encoding ?? undefined;
  function decodeAs(encoding, bytes) {
    switch (encoding.toLowerCase()) {
      case "base64":
        return hooks.toBase64(bytes);
      case "hex":
        return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      default:
        return new TextDecoder(encoding === "binary" ? "latin1" : encoding, { ignoreBOM: true }).decode(
          bytes,
        );
    }
  }
  function encodeAs(encoding, data) {
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (typeof data !== "string") {
      throw new TypeError(`The data must be a string or bytes, not ${hooks.inspect(data, { bound: 200 })}`);
    }
    switch ((encoding ?? "utf8").toLowerCase()) {
      case "base64":
        return hooks.fromBase64(data);
      case "hex":
        return Uint8Array.from(data.match(/../g) ?? [], (pair) => parseInt(pair, 16));
      case "latin1":
      case "binary":
        return Uint8Array.from(data, (char) => char.charCodeAt(0));
      default:
        return hooks.encodeUtf8(data);
    }
  }

  class Stats {
    constructor(fields) {
      this.size = fields.size;
      this.mode = fields.mode;
      this.ino = fields.ino;
      this.nlink = fields.nlink;
      this.atimeMs = fields.atimeMs;
      this.mtimeMs = fields.mtimeMs;
      this.ctimeMs = fields.ctimeMs;
      this.atime = new Date(fields.atimeMs);
      this.mtime = new Date(fields.mtimeMs);
      this.ctime = new Date(fields.ctimeMs);
      Object.defineProperty(this, "type", { value: fields.type });
    }
    isFile() {
      return this.type === "file";
    }
    isDirectory() {
      return this.type === "directory";
    }
    isSymbolicLink() {
      return this.type === "symlink";
    }
  }
  class Dirent extends Stats {
    constructor(name, parent, type) {
      super({ type });
      for (const key of Object.keys(this)) delete this[key];
      this.name = name;
      this.parentPath = parent;
    }
  }
  function write(name, data, options, append) {
    const file = located(name);
    const bytes = encodeAs(encodingOf(options), data);
    const put = append || options?.flag === "a" ? host.appendFile : host.writeFile;
    system(() => put(file, hooks.bufferOf(bytes)), "open", name);
  }
  function stat(name, options, follow) {
    const file = located(name);
    if (options?.throwIfNoEntry === false && !host.exists(file)) return undefined;
    return new Stats(JSON.parse(system(() => host.stat(file, follow), "stat", name)));
  }
  function list(name, prefix, options, output) {
    for (const [entry, type] of JSON.parse(system(() => host.readdir(located(name)), "scandir", name))) {
      output.push(options?.withFileTypes ? new Dirent(entry, name, type) : prefix + entry);
      if (options?.recursive && type === "directory") {
        list(`${name}/${entry}`, `${prefix}${entry}/`, options, output);
      }
    }
    return output;
  }

  const sync = {
    readFile(name, options) {
      const bytes = new Uint8Array(system(() => host.readFile(located(name)), "open", name));
      const encoding = encodingOf(options);
      return encoding === undefined || encoding === "buffer" ? bytes : decodeAs(encoding, bytes);
    },
    writeFile: (name, data, options) => write(name, data, options, false),
    appendFile: (name, data, options) => write(name, data, options, true),
    readdir: (name, options) =>
      list(name, "", options, []).sort((a, b) => (a.name ?? a) < (b.name ?? b) ? -1 : 1),
    stat: (name, options) => stat(name, options, 1),
    lstat: (name, options) => stat(name, options, 0),
    mkdir(name, options) {
      system(() => host.mkdir(located(name), options?.recursive ? 1 : 0), "mkdir", name);
    },
    unlink(name) {
      system(() => host.unlink(located(name)), "unlink", name);
    },
    rmdir(name, options) {
      if (options?.recursive) sync.rm(name, { recursive: true });
      else system(() => host.rmdir(located(name)), "rmdir", name);
    },
    rm(name, options) {
      system(() => host.rm(located(name), options?.recursive ? 1 : 0, options?.force ? 1 : 0), "rm", name);
    },
    rename(from, to) {
      system(() => host.rename(located(from), located(to)), "rename", from);
    },
    copyFile(from, to) {
      sync.writeFile(to, sync.readFile(from));
    },
    symlink(target, name) {
      system(() => host.symlink(`${target}`, located(name)), "symlink", name);
    },
    readlink: (name) => system(() => host.readlink(located(name)), "readlink", name),
    realpath: (name) => system(() => host.realpath(located(name)), "realpath", name),
    access(name) {
      sync.stat(name);
    },
  };
  const promises = {};
  const fs = {
    existsSync: (name) =>
      typeof name === "string" && !name.includes("\0") && host.exists(located(name)) === 1,
  };
  for (const [name, method] of Object.entries(sync)) {
    Object.defineProperty(method, "name", { value: `${name}Sync` });
    fs[`${name}Sync`] = method;
    promises[name] = { [name]: async (...args) => await method(...args) }[name];
  }
  fs.promises = promises;

  const bridge = {
    hostCall(operation, request = null) {
      try {
        return JSON.parse(host.hostCall(`${operation}`, JSON.stringify(request).toWellFormed()));
      } catch (caught) {
        if (caught?.name !== "HostCallError") throw caught;
        const error = new Error(caught.message);
        error.name = "HostCallError";
        throw error;
      }
    },
  };

  const modules = {
    fs,
    "fs/promises": promises,
    path,
    "wasmbox:host": bridge,
    get sandbox_utils() {
      return hooks.utils;
    },
  };
  const parseJson = (text, file) => {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new SyntaxError(`${file}: ${error.message}`);
    }
  };
  Object.assign(modules, hooks.node);
  hooks.hook("modules", modules);
  hooks.hook("builtin", (name) => Object.hasOwn(modules, name) ? modules[name] : undefined);
  hooks.hook("parseJson", parseJson);
  hooks.define(importCheck, (namespace, specifier, names) => {
    for (const name of names) {
      if (!(name in namespace)) {
        throw new SyntaxError(
          `The requested module '${specifier}' does not provide an export named '${name}'`,
        );
      }
    }
    return namespace;
  });
}
