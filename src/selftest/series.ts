/** Attacks that are many programs of a kind: they share a session, since to make one is most of what an attack takes. */

import type { Language } from "../languages.ts";
import { calls, dedent, type Execution, type Unfiled } from "./attack.ts";

interface SeriesOptions {
  /** Seconds for each; 20 if absent. */
  readonly timeout?: number;
  /** Further arguments of execute_code. */
  readonly args?: Readonly<Record<string, unknown>>;
}

/** Programs by what they try, one after another in one session: all of them must be `refused`. */
export function series(
  language: Language,
  name: string,
  expected: string,
  programs: Readonly<Record<string, string>>,
  refused: (execution: Execution) => boolean,
  options: SeriesOptions = {},
): Unfiled {
  return calls(name, expected, async ({ run }) => {
    const through: string[] = [];
    for (const [what, code] of Object.entries(programs)) {
      const execution = await run(language, dedent(code), options);
      if (!refused(execution)) through.push(`${what} (${told(execution)})`);
    }
    const tried = Object.keys(programs).length;
    return { refused: through.length === 0, got: `${tried} tried, through: ${through.join(", ") || "none"}` };
  });
}

/** How an execution ended, in a few words. */
export function told({ status, state, result, error, displays, return_value: returned }: Execution): string {
  const shown = displays.map(({ mime_type: type, note }) => note ?? type).join("; ");
  const said = error ? `${error.type ?? error.error_code}: ${error.message}` : `${result}`;
  return `${status}, ${state}, ${said.slice(0, 200)}, ${JSON.stringify(returned)?.slice(0, 100)}, ${
    shown.slice(0, 200)
  }`;
}
