/**
 * The part of the runtime that runs inside QuickJS, as guest JavaScript.
 *
 * Each file in `prelude/` exports one function that uses nothing but its parameters and what the language has; its
 * source text is what the guest evaluates. So the files are checked, formatted and bundled like any other. What most
 * programs don't use is evaluated when one of its globals is first touched: QuickJS parses some 8 MB/s.
 */

import { installCommonJs } from "./prelude/commonjs.js";
import { installConsole } from "./prelude/console.js";
import { installDisplay } from "./prelude/display.js";
import { installErrors } from "./prelude/errors.js";
import { installHandler } from "./prelude/handler.js";
import { installInspect } from "./prelude/inspect.js";
import { installModules } from "./prelude/modules.js";
import { installNode } from "./prelude/node.js";
import { installShare } from "./prelude/share.js";
import { installTimers } from "./prelude/timers.js";
import { installUrl } from "./prelude/url.js";
import { installUtils } from "./prelude/utils.js";
import { installWeb } from "./prelude/web.js";

/** Name of the prelude in stack traces; its frames are ours and never shown. */
export const PRELUDE_NAME = "wasmbox:prelude";

/** Global function that `rewrite` makes static imports call. */
export const IMPORT_CHECK = "__wasmboxImport";

/** Sources that {@link PRELUDE} has the host evaluate on first use, by name; each is `(host, hooks, importCheck) => void`. */
export const LAZY: Readonly<Record<string, string>> = {
  web: `(${installWeb})`,
  url: `(${installUrl})`,
  commonjs: `(${installCommonJs})`,
  modules: `(${installModules})`,
  node: `(${installNode})`,
  utils: `(${installUtils})`,
  display: `(${installDisplay})`,
  share: `(${installShare})`,
};

/** What each of {@link LAZY} defines on the global object. */
const GLOBALS = {
  web: ["TextEncoder", "TextDecoder", "atob", "btoa", "crypto", "structuredClone"],
  url: ["URL", "URLSearchParams"],
  commonjs: ["require"],
  modules: [IMPORT_CHECK],
  display: ["display"],
  share: ["share", "shared", "sharedNames"],
};
const HOOKS = {
  web: ["bufferOf", "encodeUtf8", "decodeUtf8", "toBase64", "fromBase64"],
  commonjs: ["requireFrom", "exportsOf", "namesOf"],
  modules: ["modules", "builtin", "parseJson"],
  node: ["node", "offerProcess"],
  utils: ["utils"],
  display: ["displayResult"],
};

const EAGER = [installErrors, installInspect, installConsole, installTimers, installHandler];

/** A script whose value is `(host) => hooks`. */
export const PRELUDE = `(host) => {
  "use strict";
  const { defineProperty } = Object;
  const hooks = {
    define(name, value) {
      defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
    },
    hook(name, value) {
      defineProperty(hooks, name, { value, writable: true, configurable: true, enumerable: true });
    },
  };
  const installed = new Set();
  const install = (part) => {
    if (installed.has(part)) return;
    installed.add(part);
    host.lazy(part)(host, hooks, ${JSON.stringify(IMPORT_CHECK)});
  };
  const lazily = (object, table, define) => {
    for (const part in table) {
      for (const name of table[part]) {
        defineProperty(object, name, {
          get: () => (install(part), object[name]),
          set: (value) => void define(name, value),
          configurable: true,
          enumerable: false,
        });
      }
    }
  };
  lazily(globalThis, ${JSON.stringify(GLOBALS)}, hooks.define);
  lazily(hooks, ${JSON.stringify(HOOKS)}, hooks.hook);
  hooks.define("global", globalThis);
${EAGER.map((each) => `(${each})(host, hooks);`).join("\n")}
  // Where the text of built-in and JSON modules finds its values: nothing but text reaches a module's source.
  defineProperty(globalThis, Symbol.for("wasmbox.modules"), {
    get: () => ({
      modules: hooks.modules,
      parseJson: hooks.parseJson,
      exportsOf: hooks.exportsOf,
      requireFrom: hooks.requireFrom,
      offerProcess: hooks.offerProcess,
    }),
  });
  hooks.moduleNames = () => {
    const names = {};
    for (const name in hooks.modules) names[name] = Object.keys(hooks.modules[name]);
    return JSON.stringify(names);
  };
  hooks.runCommonJs = (name) => hooks.namesOf(name);
  return hooks;
}`;
