/** One thread of a program, or the program itself, as far as it has come. */

import type { FuelMeter } from "../../control/meter.ts";
import type { Dialect } from "../../languages.ts";
import type { Ending } from "./ending.ts";
import type { Realm } from "./realm.ts";
import type { Turns } from "./turns.ts";

/** What a thread is to run, and where. */
export interface ThreadSettings {
  readonly program: { readonly code: string; readonly filename: string; readonly dialect?: Dialect };
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether its output is for its parent, and not to be shown. */
  readonly stdout: boolean;
  readonly stderr: boolean;
}

export class Thread {
  realm: Realm | undefined;
  /** Of memory, when it was made. */
  firstBytes = 0;
  turns: Turns<Ending> | undefined;
  meter: FuelMeter | undefined;
  hasBegun = false;
  /** When it goes on by itself, ms. */
  due = 0;
  /** Whether it is on the stack. */
  isBusy = false;
  /** What it came to. */
  ending: Ending | undefined;
  /** Whether it was ended while it was on the stack. */
  isEnding = false;

  constructor(readonly id: number, readonly parent: Thread | undefined) {}
}
