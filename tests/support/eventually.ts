/** Waiting for what takes a while: until it is so, and never for ever. */

/** How long anything may take that should be there in a moment, on a machine that is busy with much else. */
const DEADLINE_MS = 60_000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

/**
 * Looks again and again until what it sees will do.
 *
 * @param what For the message: what is waited for.
 * @param look One look; if it throws, so does this.
 * @param holds Whether that will do.
 * @returns What was seen then.
 * @throws {Error} With what was seen last, after the deadline (ms).
 */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  holds: (seen: T) => boolean = Boolean,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  let last = "nothing";
  let late = false;
  const looking = async () => {
    for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const seen = await look();
      if (holds(seen)) return seen;
      last = Deno.inspect(seen, { depth: 6 });
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (late) return seen; // to nobody
    }
  };
  try {
    return await inTime(what, looking(), deadlineMs, () => last);
  } finally {
    late = true;
  }
}

/**
 * Waits for something that is told, be it good or bad, but not for ever.
 *
 * @param what For the message: what is waited for.
 * @param seen What to say was seen instead.
 * @throws {Error} After the deadline (ms).
 */
export async function inTime<T>(
  what: string,
  promise: Promise<T>,
  deadlineMs = DEADLINE_MS,
  seen: () => string = () => "nothing",
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`waited ${deadlineMs / 1000} s in vain until ${what}; seen last: ${seen()}`)),
    deadlineMs,
  );
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
