/** `process.nextTick`: what is put off until nothing runs. The host asks for it between jobs, and before timers. */

import { contextNow, runCallback } from "./async_context.js";

let queue = [];

export function nextTick(callback, args) {
  queue.push([callback, args, contextNow()]);
}

/** Runs what is waiting, and what comes while that runs. @returns How much that was. */
export function runTicks() {
  let at = 0;
  try {
    while (at < queue.length) {
      const [callback, args, context] = queue[at++];
      runCallback(context, callback, args);
    }
    return at;
  } finally {
    queue = queue.slice(at);
  }
}

/** What a program leaves that was ended. */
export function dropTicks() {
  queue = [];
}
