/** A program's work, as far as it goes by itself at a time: it pauses where others may run. */

/** Why it goes on: its time has come, something has come for it, nothing can come any more, or it is to stop. */
export type Wake = "elapsed" | "message" | "over" | "interrupted";

/** Gives how long it waits, ms; Infinity: for what others have for it. */
export type Turns<T> = Generator<number, T, Wake>;
