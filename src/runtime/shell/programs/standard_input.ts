/** What a program is given to read: as much of it as it asks for. What it does not ask for is there for the commands after it. */

import { GrowingBytes } from "../../../bytes.ts";
import { finish, type Steps } from "../../steps.ts";
import { ProgramError } from "./program_error.ts";

/** Most that is held of an input that is worked on as a whole. */
const WHOLE_MAX_BYTES = 64 * 1024 * 1024;
const NOTHING = new Uint8Array(0);
/** How long the next of an input is waited for that may never end, and how often it is asked for. */
const GATHERED_MS = 50;
const GATHERED_PIECE_MS = 5;

export class StandardInput {
  #piece: Uint8Array = NOTHING;
  #ended = false;

  /**
   * @param pull Gives what comes next, in a buffer of its own; nothing: its end. Absent: there is none.
   * @param hasCome Whether it can be pulled now. Absent: it comes when it is pulled.
   */
  constructor(
    private readonly pull: () => Uint8Array = () => NOTHING,
    private readonly hasCome: () => boolean = () => true,
  ) {}

  /** Whether there is something to read, or its end. */
  get isReady(): boolean {
    return this.#piece.length > 0 || this.#ended || this.hasCome();
  }

  /** Fills a buffer with what comes next; 0 bytes: its end. @throws {Aborted} where the program is to be ended. */
  read(buffer: Uint8Array): number {
    if (buffer.length === 0) return 0;
    const next = this.#next();
    buffer.set(next.subarray(0, buffer.length));
    this.#piece = next.subarray(buffer.length);
    return Math.min(next.length, buffer.length);
  }

  /** One that has all of it: for who can't wait where it reads. @throws {ProgramError} as {@link all}. */
  *held(): Steps<StandardInput> {
    const pieces = [yield* this.allInSteps()];
    return new StandardInput(() => pieces.pop() ?? NOTHING);
  }

  /**
   * For who begins with what there is, and reads on where more comes: waits for its end, as long as anything comes at once.
   *
   * @param wait Lets so much time go by, in which something may come, ms. @param goesOn Whether it reads on; else that is the end.
   */
  *gathered(wait: (ms: number) => Steps<void>, goesOn: boolean): Steps<StandardInput> {
    const pieces: Uint8Array[] = [];
    for (let waited = 0; waited < GATHERED_MS; waited += GATHERED_PIECE_MS) {
      while (this.isReady) {
        const piece = this.#next();
        pieces.push(piece);
        waited = 0;
        if (piece.length === 0) return new StandardInput(() => pieces.shift() ?? NOTHING);
      }
      yield* wait(GATHERED_PIECE_MS);
    }
    if (!goesOn) return new StandardInput(() => pieces.shift() ?? NOTHING);
    return new StandardInput(
      () => pieces.shift() ?? this.#next(),
      () => pieces.length > 0 || this.isReady,
    );
  }

  /** All that is still to come, of an input that comes when it is pulled. @throws {ProgramError} if that is too much. @throws {Aborted} as `read`. */
  all(): Uint8Array {
    return finish(this.allInSteps());
  }

  /** As {@link all}. */
  *allInSteps(): Steps<Uint8Array> {
    const whole = new GrowingBytes();
    for (;;) {
      while (!this.isReady) yield "input";
      const piece = this.#next();
      if (piece.length === 0) return whole.view;
      if (whole.length + piece.length > WHOLE_MAX_BYTES) {
        throw new ProgramError(`its input is larger than ${WHOLE_MAX_BYTES >> 20} MiB`);
      }
      whole.push(piece);
    }
  }

  #next(): Uint8Array {
    const piece = this.#piece.length > 0 || this.#ended ? this.#piece : this.pull();
    this.#piece = NOTHING;
    this.#ended ||= piece.length === 0;
    return piece;
  }
}
