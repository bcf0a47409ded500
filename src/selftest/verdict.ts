/** What is said of an attack that was carried out. */

/** What an attack came to. */
export interface Verdict {
  readonly family: string;
  readonly name: string;
  readonly expected: string;
  readonly got: string;
  /** What went wrong besides; empty if nothing did. */
  readonly complaints: readonly string[];
  readonly ok: boolean;
  readonly ms: number;
}

/** The end of a server's log, as a complaint. */
export function lastWords(log: string): string[] {
  return log.trim() === "" ? [] : [`the server's log: ${log.trim().slice(-500)}`];
}
