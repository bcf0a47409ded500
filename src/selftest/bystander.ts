/** Somebody else's session on the attacked server: it must keep its secret, its files and its count of executions. */

import type { Client } from "./client.ts";
import type { Execution } from "./attack.ts";

const PYTHON = (secret: string) =>
  `secret = "${secret}"[::-1]
with open("/app/secret.txt", "w") as file: _ = file.write(secret)
import os, random`;

/** The code has the secret backwards, so that no traceback can show it. */
const LOOK = {
  python: (secret: string) =>
    `[secret[::-1] == "${secret}", open("/app/secret.txt").read() == secret, os.listdir("/app"), os.listdir("/tmp"), repr(len), (1).__add__(1)]`,
  javascript: (secret: string) =>
    `[[...secret].reverse().join("") === "${secret}", Object.keys({}).length, [].polluted, ({}).polluted].join()`,
} as const;

const INTACT = {
  python: `[True, True, ['secret.txt'], [], '<built-in function len>', 2]`,
  javascript: `'true,0,,'`,
} as const;

export class Bystander {
  readonly session = `bystander_${crypto.randomUUID().slice(0, 8)}`;
  readonly #backwards: string;
  #executions = 0;

  constructor(readonly client: Pick<Client, "call">, secret: string) {
    this.#backwards = [...secret].reverse().join("");
  }

  async settle(): Promise<void> {
    await this.#run("python", PYTHON(this.#backwards));
    await this.#run("javascript", `globalThis.secret = [..."${this.#backwards}"].reverse().join(""); 0`);
  }

  /** What happened to it since it settled; nothing, if all is well. */
  async complaints(): Promise<string[]> {
    const complaints: string[] = [];
    for (const language of ["python", "javascript"] as const) {
      const { status, state, notice, result, error } = await this.#run(
        language,
        LOOK[language](this.#backwards),
      );
      const hurt = notice ?? error?.message;
      if (hurt !== undefined || state !== "kept" || status !== "completed") {
        complaints.push(`another session was hurt: ${status}, ${state}, ${hurt}`);
      } else if (result !== INTACT[language]) complaints.push(`another session has changed: ${result}`);
    }
    const { structured } = await this.client.call("list_sessions", {});
    const mine = (structured["sessions"] as SessionView[]).find(({ session_id }) =>
      session_id === this.session
    );
    if (mine?.executions !== this.#executions) {
      complaints.push(`another session ran ${mine?.executions} executions instead of ${this.#executions}`);
    }
    return complaints;
  }

  async #run(language: "python" | "javascript", code: string): Promise<Execution> {
    this.#executions++;
    const { structured } = await this.client.call("execute_code", {
      session_id: this.session,
      language,
      code,
    });
    return structured as unknown as Execution;
  }
}

interface SessionView {
  readonly session_id: string;
  readonly executions: number;
}
