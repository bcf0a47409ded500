/** What packages require of Node while they are evaluated. Evaluated before all others. */

const before = Object.getOwnPropertyDescriptor(globalThis, "require");
const { modules } = globalThis.__wasmboxModules;
const value = (name) => modules[name.replace(/^node:|\/$/g, "")];
Object.defineProperty(globalThis, "require", { value, writable: true, configurable: true });

/** Called when all of them have been evaluated. */
export function endRequire() {
  if (before) Object.defineProperty(globalThis, "require", before);
  else delete globalThis.require;
}
