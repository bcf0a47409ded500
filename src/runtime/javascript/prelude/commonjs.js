/** `require`: CommonJS modules and JSON of the session's files and packages, and the modules that come with the runtime. */
export function installCommonJs(host, hooks, _importCheck, importMeta) {
  /** Modules by their paths. */
  const cache = Object.create(null);
  /** The names that the host gives them, which change with their files. */
  const names = new WeakMap();
  const pathOf = (name) => name.replace(/\?v=\d+$/, "");
  /** The program's own module, and its path if it is a file. */
  const main = { module: undefined, file: undefined };

  class Module {
    constructor(name) {
      names.set(this, name);
      this.id = pathOf(name);
      this.filename = this.id;
      this.loaded = false;
      this.exports = {};
      this.children = [];
      this.paths = [];
    }
  }

  /** Calls the host; a failure gets the stack of the caller and Node's code. */
  function asked(call) {
    try {
      return call();
    } catch (caught) {
      if (typeof caught?.code !== "string") throw caught;
      const error = new Error(caught.message);
      error.code = caught.code;
      throw error;
    }
  }

  hooks.hook("beginModule", (path, meta) => {
    host.moduleBegan(path);
    Object.assign(meta, hooks.meta(path));
  });
  hooks.hook("endModule", (path) => host.moduleEnded(path));

  /** What an ES module exports, if it is there at once. */
  function namespaceOf(name) {
    const path = pathOf(name);
    const namespace = asked(() => host.requireModule(path, 0));
    if ("module.exports" in namespace) return namespace["module.exports"];
    // Compilers' code looks whether what it got is an ES module's.
    return "default" in namespace && !("__esModule" in namespace) ? host.requireModule(path, 1) : namespace;
  }

  /** The function that a CommonJS module is; of an ES module, one that gives what it exports. */
  function compiled(name) {
    try {
      return asked(() => host.compileRequired(name));
    } catch (error) {
      if (error.code !== "ERR_REQUIRE_ESM") throw error;
      return (_exports, _require, module) => void (module.exports = namespaceOf(name));
    }
  }

  function load(name, parent) {
    const path = pathOf(name);
    const known = cache[path];
    // What a program has put there is no module of another version.
    if (known && (names.get(known) ?? name) === name) return known;
    const module = new Module(name);
    module.parent = parent;
    cache[path] = module;
    try {
      if (module.filename.endsWith(".json")) {
        module.exports = hooks.parseJson(asked(() => host.readRequired(name)), module.filename);
      } else {
        const run = compiled(name);
        if (typeof run !== "function") throw run;
        const directory = module.filename.slice(0, module.filename.lastIndexOf("/")) || "/";
        run.call(
          module.exports,
          module.exports,
          requireFrom(name, module),
          module,
          module.filename,
          directory,
        );
      }
    } catch (error) {
      delete cache[path];
      throw error;
    }
    module.loaded = true;
    return module;
  }

  /** Where packages are looked for that a module of a directory names. */
  const modulePaths = (directory) => {
    const names = directory.split("/");
    const above = names.map((_name, at) => names.slice(0, at + 1).join("/"));
    return above.filter((each) => !each.endsWith("/node_modules")).map((each) => `${each}/node_modules`)
      .reverse();
  };

  function requireFrom(base, parent) {
    const resolve = (specifier) => {
      if (typeof specifier !== "string" || specifier === "") {
        throw hooks.notName(specifier);
      }
      return asked(() => host.resolveRequired(base, specifier, "require"));
    };
    const require = (specifier) => {
      const name = resolve(specifier);
      if (name === "wasmbox:empty") return {};
      return hooks.builtin(name) ?? load(name, parent).exports;
    };
    Object.defineProperty(require, "name", { value: "require" });
    require.resolve = (specifier) => pathOf(resolve(specifier));
    require.resolve.paths = (specifier) => {
      if (hooks.builtin(`${specifier}`) !== undefined) return null;
      const directory = base.slice(0, base.lastIndexOf("/"));
      return /^\.\.?(?:\/|$)/.test(specifier) ? [directory || "/"] : modulePaths(directory);
    };
    require.cache = cache;
    require.main = main.module;
    return require;
  }

  /** What a module finds in `import.meta`. @param isMain Whether it is the program. */
  hooks.hook("meta", (path, isMain = path === main.file) => ({
    url: `file://${encodeURI(path).replaceAll("?", "%3F").replaceAll("#", "%23")}`,
    filename: path,
    dirname: path.slice(0, path.lastIndexOf("/")) || "/",
    main: isMain,
    resolve: (specifier) => {
      // Where a file would be is told of one that is not there, too.
      if (/^(?:\.{0,2}\/|file:)/.test(specifier)) return new URL(specifier, hooks.meta(path).url).href;
      if (/^[a-z][a-z\d+.-]*:/i.test(specifier) && !specifier.startsWith("node:")) {
        return new URL(specifier).href;
      }
      const found = pathOf(asked(() => host.resolveRequired(path, `${specifier}`, "import")));
      return found.startsWith("/") ? hooks.meta(found).url : `node:${found}`;
    },
  }));
  hooks.hook("requireFrom", requireFrom);
  hooks.hook("exportsOf", (name) => load(name).exports);
  hooks.hook("namesOf", (name) => {
    try {
      const { exports } = load(name);
      const open = exports !== null && (typeof exports === "object" || typeof exports === "function");
      return JSON.stringify({ names: open ? Object.keys(exports) : [] });
    } catch (error) {
      const thrown = error instanceof Error ? error : new Error(hooks.inspect(error, { bound: 1000 }));
      return JSON.stringify({ names: [], error: { name: `${thrown.name}`, message: `${thrown.message}` } });
    }
  });
  /**
   * What a program finds around itself.
   *
   * @param file Its path, were it a file. @param isFile Whether it is one: who requires it gets what it has exported so far.
   */
  hooks.hook("surround", (file, isFile = false) => {
    const module = new Module(file);
    module.id = ".";
    main.module = module;
    main.file = isFile ? file : undefined;
    if (isFile) cache[file] = module;
    const require = requireFrom(file, module);
    const around = {
      require,
      module,
      exports: module.exports,
      __filename: file,
      __dirname: file.slice(0, file.lastIndexOf("/")) || "/",
      [importMeta]: hooks.meta(file, true),
    };
    for (const name in around) hooks.define(name, around[name]);
  });
  /** The program is an ES module, which nobody is given for one of CommonJS. */
  hooks.hook("programIsModule", () => void delete cache[main.file]);
  hooks.onStart(() => hooks.surround(`${host.cwd()}/index.js`));
}
