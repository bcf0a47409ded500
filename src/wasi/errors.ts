/** How a call of the guest ends when it does not end well. */

import { FsError } from "../fs/errors.ts";
import { errno, type ErrnoName } from "./constants.ts";

/** Thrown through the guest by `proc_exit`. Wasm frames are not unwound: the instance must be discarded. */
export class ProcExit extends Error {
  override name = "ProcExit";
  constructor(readonly code: number) {
    super(`the program exited with code ${code}`);
  }
}

/** An error number for the guest. */
export class WasiError extends Error {
  override name = "WasiError";
  constructor(readonly code: ErrnoName) {
    super(code);
  }
}

/** The number a guest gets for an error; anything that is not meant for it is thrown on. */
export function errnoOf(error: unknown): number {
  if (error instanceof FsError || error instanceof WasiError) return errno[error.code];
  throw error;
}
