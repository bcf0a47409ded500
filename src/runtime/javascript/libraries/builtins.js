/**
 * Node's modules by their names, for packages of these libraries that require them while they are evaluated, and the
 * `process` that some of them ask for then. Evaluated before all others.
 */

export const builtins = Object.create(null);

/** Nothing but what is asked for while the libraries are evaluated; `process.js` adds the rest. */
export const process = { platform: "linux", env: {}, cwd: () => "/" };

const before = ["require", "process"].map((
  name,
) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
const require = (name) => {
  const found = builtins[name.replace(/^node:|\/$/g, "")];
  if (!found) throw new Error(`${name} is required before it is there`);
  return found;
};
for (const [name, value] of Object.entries({ require, process })) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}

/** Called when all of them have been evaluated. */
export function endRequire() {
  for (const [name, descriptor] of before) {
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else delete globalThis[name];
  }
}
