/** What the prelude gives to the libraries when they are installed. Not there yet while they are evaluated. */

/** The host's functions. */
export let host;
/** What the parts of the prelude share. */
export let hooks;

export function setRuntime(givenHost, givenHooks) {
  host = givenHost;
  hooks = givenHooks;
}

/** Globals that libraries use: a program's own `const crypto` or `class Blob` stands in their place on the global object. */
export const platform = Object.create(null);
