/**
 * Evaluated before packages that take themselves for a program of Node's where they find a `process`, and ask it for the
 * environment, which a Worker without permissions may not read.
 */
Object.defineProperty(globalThis, "process", { value: undefined, configurable: true });
