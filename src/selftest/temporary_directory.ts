/** A directory for what must not be left behind, also if the program is told to end. */

import { ExitCode } from "../exit_code.ts";

const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

export class TemporaryDirectory implements AsyncDisposable {
  readonly #onSignal = () => {
    try {
      Deno.removeSync(this.path, { recursive: true });
    } finally {
      Deno.exit(ExitCode.interrupted);
    }
  };

  private constructor(readonly path: string) {
    for (const signal of SIGNALS) Deno.addSignalListener(signal, this.#onSignal);
  }

  static async make(): Promise<TemporaryDirectory> {
    return new TemporaryDirectory(await Deno.makeTempDir({ prefix: "wasmbox-selftest-" }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const signal of SIGNALS) Deno.removeSignalListener(signal, this.#onSignal);
    await Deno.remove(this.path, { recursive: true });
  }
}
