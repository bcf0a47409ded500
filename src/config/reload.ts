/** Changing the configuration of a running server. */

import { logger } from "../telemetry/log.ts";
import { effectiveValues } from "./describe.ts";
import { ConfigError } from "./error.ts";
import type { Environment } from "./environment.ts";
import type { Flags } from "./flags.ts";
import { type Configuration, loadConfiguration, type Settings } from "./load.ts";

/**
 * Prepares a part of the server for other settings.
 *
 * @returns A function that puts them into force, which can't fail.
 * @throws {ConfigError} if that is impossible.
 */
export type Reloadable = (settings: Settings) => () => void;

const log = logger("config");

export class Reloads {
  readonly #parts: Reloadable[] = [];
  #running: Configuration;
  #last: Promise<void> = Promise.resolve();

  constructor(started: Configuration, readonly flags: Flags, readonly env?: Environment) {
    this.#running = started;
  }

  add(part: Reloadable): void {
    this.#parts.push(part);
  }

  /** Reads everything again and puts all of it into force or, if anything is wrong, none of it. Settles when done. */
  reload(): Promise<void> {
    return this.#last = this.#last.then(() => this.#reload());
  }

  async #reload(): Promise<void> {
    let next: Configuration;
    try {
      next = await loadConfiguration(this.flags, this.env, this.#running);
      const commits = this.#parts.map((prepare) => prepare(next.settings));
      for (const commit of commits) commit();
    } catch (error) {
      if (!(error instanceof ConfigError)) {
        return log.error("reloading failed; nothing was changed", { error });
      }
      for (const reason of error.message.split("\n")) {
        log.error("not reloaded, nothing was changed: {reason}", { reason });
      }
      return;
    }
    for (const reason of next.warnings) log.warning("{reason}", { reason });
    for (const key of next.waiting) {
      log.warning("{key} was changed, which takes effect only after a restart", { key });
    }
    log.info("reloaded; changed: {keys}", { keys: changes(this.#running, next).join(", ") || "nothing" });
    this.#running = next;
  }
}

/** The paths of keys whose values differ. */
function changes(before: Configuration, after: Configuration): string[] {
  const plain = ({ settings, mcp }: Configuration) =>
    JSON.stringify([mcp.http.authToken, mcp.http.authTokens, mcp.http.metricsToken, settings.http.auth]);
  const old = new Map(effectiveValues(before).map(({ path, value }) => [path, JSON.stringify(value)]));
  const changed = effectiveValues(after).filter(({ path, value }) => old.get(path) !== JSON.stringify(value))
    .map(({ path }) => path);
  return plain(before) === plain(after) ? changed : [...new Set([...changed, "tokens"])];
}
