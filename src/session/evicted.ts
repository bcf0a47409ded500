import { WasmboxError } from "../errors.ts";

/** Memory was short, and the session had to leave its executor before it was quite in it. */
export class Evicted extends WasmboxError {
  override name = "Evicted";

  /** @param why For people. */
  constructor(readonly why: string) {
    super("OUT_OF_MEMORY", `Memory was short: ${why}. Nothing of this call was done.`, {
      suggestions: ["Destroy sessions that are no longer needed, or try again later."],
      retryable: true,
    });
  }
}
