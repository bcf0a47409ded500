/** The flags of a task. */

/**
 * Those of `known` that were given.
 *
 * Ends the process if anything else was: whoever mistypes a flag must not get what they did not ask for.
 */
export function flagsOf<Flag extends `--${string}`>(
  task: string,
  known: readonly Flag[],
): ReadonlySet<Flag> {
  const unknown = Deno.args.find((arg) => !known.some((flag) => flag === arg));
  if (unknown !== undefined) {
    console.error(`${task}: there is no argument ${unknown}, only ${known.join(" and ")}`);
    Deno.exit(2);
  }
  return new Set(known.filter((flag) => Deno.args.includes(flag)));
}
