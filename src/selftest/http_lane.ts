/** A server on HTTP and the attacks on it, one after the other, with what is seen after each. */

import type { Finding, HttpAttack } from "./attack.ts";
import { NoAnswer } from "./client.ts";
import type { FrontDoor } from "./front_door.ts";
import { lastWords, type Verdict } from "./verdict.ts";

export class HttpLane implements AsyncDisposable {
  #door: FrontDoor | undefined;

  /** @param open Starts a server. */
  constructor(readonly open: () => Promise<FrontDoor>) {}

  async attack(attack: HttpAttack): Promise<Verdict> {
    const started = performance.now();
    const { family, name, expected } = attack;
    const complaints: string[] = [];
    let finding: Finding;
    try {
      const door = this.#door ??= await this.open();
      finding = await door.inTime("the attack", attack.carryOut(door));
      complaints.push(...await door.complaints());
    } catch (error) {
      finding = { refused: false, got: error instanceof Error ? error.message : String(error) };
      if (!(error instanceof NoAnswer)) complaints.push("the attack itself failed");
    }
    const ok = finding.refused && complaints.length === 0;
    if (!ok) await this.#restart(complaints);
    return { family, name, expected, got: finding.got, complaints, ok, ms: performance.now() - started };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#door?.[Symbol.asyncDispose]();
  }

  /** A server that an attack may have harmed is not used for the next one. */
  async #restart(complaints: string[]): Promise<void> {
    const door = this.#door;
    this.#door = undefined;
    complaints.push(...lastWords(door?.server.log ?? ""));
    await door?.[Symbol.asyncDispose]();
  }
}
