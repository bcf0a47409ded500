/** Modules that come with the runtime (`fs`, `path`, `wasmbox:host`, …), and what imports call. */
export function installModules(host, hooks, importCheck) {
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
    "wasmbox:host": bridge,
  };
  const parseJson = (text, file) => {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new SyntaxError(`${file}: ${error.message}`);
    }
  };
  hooks.hook("modules", modules);
  hooks.hook("builtin", (name) => Object.hasOwn(modules, name) ? modules[name] : undefined);
  hooks.hook("parseJson", parseJson);
  const check = (namespace, specifier, names) => {
    for (const name of names) {
      if (!(name in namespace)) {
        throw new SyntaxError(
          `The requested module '${specifier}' does not provide an export named '${name}'`,
        );
      }
    }
    return namespace;
  };
  /** For imports that nothing uses, of types perhaps: what is not there exports nothing. */
  check.absent = (error) => {
    if (error?.code === "ERR_MODULE_NOT_FOUND") return {};
    throw error;
  };
  /** What stands in the place of a constant that is assigned to. */
  const constantsOf = (global) =>
    new Proxy({}, {
      get: (_target, name) => global[name],
      set() {
        throw new TypeError("Assignment to constant variable.");
      },
    });
  check.constants = constantsOf(globalThis);
  hooks.define(importCheck, check);
  hooks.hook("keepConstants", (global) => {
    Object.defineProperty(global, importCheck, { value: { constants: constantsOf(global) } });
  });
}
