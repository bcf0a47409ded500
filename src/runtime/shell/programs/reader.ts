/** Who reads what a program prints, as far as the shell knows: `head` goes when it has its lines. */

import type { ParsedSpawn } from "../spawn.ts";

/** What is written after its reader has gone is lost in a pipe, as much as this; then the writer is told. */
const PIPE_BYTES = 64 * 1024;
const NEWLINE = 10;

export class Reader {
  #lines: number;
  #bytes: number;
  #unread = 0;

  constructor({ lines = Infinity, bytes = Infinity }: ParsedSpawn["wanted"] = {}) {
    this.#lines = lines;
    this.#bytes = bytes;
  }

  /** @returns Whether somebody still reads what is written after these bytes. */
  takes(written: Uint8Array): boolean {
    if (this.#lines === Infinity && this.#bytes === Infinity) return true;
    let at = -1;
    while (this.#lines > 0 && (at = written.indexOf(NEWLINE, at + 1)) >= 0) this.#lines--;
    this.#bytes -= written.length;
    if (this.#lines <= 0 || this.#bytes <= 0) this.#unread += written.length;
    return this.#unread <= PIPE_BYTES;
  }
}
