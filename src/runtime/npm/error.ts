import type { NpmReason } from "../../executor/wire/npm_command.ts";

export class NpmError extends Error {
  override name = "NpmError";

  /** @param about The package it is about. */
  constructor(readonly reason: NpmReason, message: string, readonly about: string | null = null) {
    super(message);
  }
}

/** The command was asked to stop. */
export class NpmStopped extends Error {
  override name = "NpmStopped";
}
