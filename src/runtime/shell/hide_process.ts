/**
 * Evaluated before just-bash: packages that find a `process` take themselves for a program of Node's and ask it for
 * the environment, which a Worker without permissions may not read.
 */
Object.defineProperty(globalThis, "process", { value: undefined, configurable: true });
