/** What is compared: each peer in a file of its own, behind one door. */

export const LANGUAGES = ["python", "javascript"] as const;
export type Language = typeof LANGUAGES[number];

/** What a program printed, and how long the call of it took. */
export interface Ran {
  readonly output: string;
  /** As the caller sees it. */
  readonly ms: number;
}

/** A process of a peer's, with its sessions. */
export interface Running extends AsyncDisposable {
  /** The process, whose descendants belong to it. */
  readonly pids: readonly number[];
  /** Runs a program in a session, which is made if there is none of that name. @throws If it fails. */
  run(session: string, code: string, language?: Language): Promise<Ran>;
  /** The same several times, one call right after the other, in a session that is there. @returns Milliseconds. */
  repeat(session: string, code: string, times: number): Promise<number[]>;
}

/** A peer that is installed. */
export interface Installed {
  /** As it tells itself. */
  readonly version: string;
  /** Starts a process, whose first session is not made yet. */
  start(): Promise<Running>;
}

export interface Peer {
  readonly name: string;
  /** What runs programs, and where. */
  readonly what: string;
  /** What it has not, that others here have. */
  readonly lacks: string;
  readonly languages: readonly Language[];
  /** A call takes seconds: it is measured once, where others are often. */
  readonly slow?: true;
  /** Keeps nothing of a session between calls, but in files. */
  readonly stateless?: true;
  /** Native: what others' ratios are to. It keeps nobody out. */
  readonly native?: true;
  /** @throws {Unavailable} if it can't be had here. */
  install(): Promise<Installed>;
}

/** Why a peer, or a measure of it, is left out, in a few words for the table. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}
