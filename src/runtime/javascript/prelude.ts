/**
 * The part of the runtime that runs inside QuickJS, as guest JavaScript. Evaluated when the base image is built.
 *
 * Each file in `prelude/` exports one function that uses nothing but its parameters and what the language has; its
 * source text is what is evaluated. So the files are checked and formatted like any other.
 */

import { LIBRARIES } from "./libraries.ts";
import { IMPORT_CHECK, IMPORT_META, MODULES } from "./names.ts";
import { installCommonJs } from "./prelude/commonjs.js";
import { installConsole } from "./prelude/console.js";
import { installDisplay } from "./prelude/display.js";
import { installEndings } from "./prelude/endings.js";
import { installErrorHeads } from "./prelude/error_heads.js";
import { installErrors } from "./prelude/errors.js";
import { installHandler } from "./prelude/handler.js";
import { installInspect } from "./prelude/inspect.js";
import { installInspectEntries } from "./prelude/inspect_entries.js";
import { installInspectLayout } from "./prelude/inspect_layout.js";
import { installInspectPrimitives } from "./prelude/inspect_primitives.js";
import { installJson } from "./prelude/json.js";
import { installModules } from "./prelude/modules.js";
import { installProxies } from "./prelude/proxies.js";
import { installShare } from "./prelude/share.js";
import { installTimers } from "./prelude/timers.js";
import { installTypeScript } from "./prelude/typescript.js";
import { installUrl } from "./prelude/url.js";
import { installUtils } from "./prelude/utils.js";
import { installWeb } from "./prelude/web.js";

/** In the order of what they need of each other. */
const PARTS = [
  installErrors,
  installJson,
  installEndings,
  installProxies,
  installErrorHeads,
  installInspectPrimitives,
  installInspectLayout,
  installInspectEntries,
  installInspect,
  installConsole,
  installTimers,
  installHandler,
  installWeb,
  installUrl,
  installModules,
  installCommonJs,
  installUtils,
  installDisplay,
  installShare,
  installTypeScript,
];

/** Globals of libraries that are loaded at their first use. */
const LAZY_GLOBALS = Object.entries(LIBRARIES)
  .flatMap(([library, { load, globals = [] }]) =>
    load === "first use" ? globals.map((name) => [name, library]) : []
  );

/** Libraries of the image, in the order of the table. */
const IN_IMAGE = Object.entries(LIBRARIES).filter(([, { load }]) => load === "image").map(([name]) => name);

/** A script whose value is `(host) => hooks`. */
export const PRELUDE = `(host) => {
  "use strict";
  const { defineProperty } = Object;
  const atStart = [];
  const libraries = new Map();
  const hooks = {
    define(name, value) {
      defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
    },
    hook(name, value) {
      defineProperty(hooks, name, { value, writable: true, configurable: true, enumerable: true });
    },
    /** Has something done when a session begins: what is known only then must not be in the image. */
    onStart(callback) {
      atStart.push(callback);
    },
    start() {
      for (const callback of atStart) callback();
    },
    /** What a library exports; it is loaded if it is not there yet. */
    library(name) {
      if (!libraries.has(name)) {
        const library = host.library(name);
        libraries.set(name, library);
        library.install?.(host, hooks);
      }
      return libraries.get(name);
    },
  };
  hooks.define("global", globalThis);
  // As Node has them, whose engine has not.
  for (const name of ["dispose", "asyncDispose"]) {
    if (!(name in Symbol)) defineProperty(Symbol, name, { value: Symbol(\`Symbol.\${name}\`) });
  }
${
  PARTS.map((each) =>
    `(${each})(host, hooks, ${JSON.stringify(IMPORT_CHECK)}, ${JSON.stringify(IMPORT_META)});`
  ).join("\n")
}
  // Where the text of built-in and JSON modules finds its values: nothing but text reaches a module's source.
  defineProperty(globalThis, ${JSON.stringify(MODULES)}, {
    get: () => ({
      modules: hooks.modules,
      parseJson: hooks.parseJson,
      exportsOf: hooks.exportsOf,
      beginModule: hooks.beginModule,
      endModule: hooks.endModule,
      requireFrom: hooks.requireFrom,
      meta: hooks.meta,
      surround: hooks.surround,
      startProcess: hooks.startProcess,
      testBy: hooks.testBy,
      library: hooks.library,
    }),
  });
  hooks.moduleNames = () => {
    const names = {};
    for (const name in hooks.modules) names[name] = Object.keys(hooks.modules[name]);
    names.console?.push("Console"); // an export of Node's that is not among the keys
    return JSON.stringify(names);
  };
  hooks.runCommonJs = (name) => hooks.namesOf(name);
  for (const name of ${JSON.stringify(IN_IMAGE)}) hooks.library(name);
  for (const [name, library] of ${JSON.stringify(LAZY_GLOBALS)}) {
    defineProperty(globalThis, name, {
      get: () => (hooks.library(library), globalThis[name]),
      set: (value) => void hooks.define(name, value),
      configurable: true,
      enumerable: false,
    });
  }
  return hooks;
}`;
