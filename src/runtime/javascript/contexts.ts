/** What `node:vm` needs of the host: other realms, scripts for them, and a bound on the time that one takes. */

import type { GuestClock } from "../../control/guest_clock.ts";
import { EvalFlag } from "./abi.ts";
import type { Engine } from "./engine.ts";
import { GuestError } from "./guest_error.ts";
import type { HostFunction } from "./host_table.ts";
import { IMPORT_CHECK } from "./names.ts";
import { checkNesting } from "./nesting.ts";
import { rewrite } from "./rewrite.ts";
import type { RunState } from "./run_state.ts";

export function contexts(engine: Engine, run: RunState, clock: GuestClock): Record<string, HostFunction> {
  const { values } = engine;
  return {
    newGlobal: () => engine.newGlobal(),
    /**
     * A script whose declarations last, as JSON `{ code, lexical }`.
     *
     * @throws what it is no script for.
     */
    lastingScript: ([text, filename]) => {
      const source = values.given(text);
      checkNesting(source, "the script");
      const compiled = engine.evaluate(
        source,
        values.given(filename),
        EvalFlag.compileOnly | EvalFlag.global,
      );
      if (typeof compiled === "object") return engine.raise(compiled);
      values.free(compiled);
      const { code, lexical } = rewrite(source, { importCheck: IMPORT_CHECK });
      return values.string(JSON.stringify({ code, lexical }));
    },
    /** What a function gives, or throws; it is interrupted after so many milliseconds. */
    within: ([call, ms]) => {
      if (call === undefined) return undefined;
      const until = clock.monotonic() + BigInt(Math.trunc(values.toNumber(ms ?? call) * 1e6) || 0);
      let late = false;
      const overdue = () => late ||= clock.monotonic() > until;
      const made = run.within(overdue, () => engine.call(call));
      if (typeof made !== "object") return made;
      if (!late || run.stopping) return engine.raise(made);
      values.free(made);
      throw new GuestError("Script execution timed out", { code: "ERR_SCRIPT_EXECUTION_TIMEOUT" });
    },
  };
}
