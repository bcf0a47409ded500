/** Time stamps of files: nanoseconds since 1970, bounded so that everything that reads them can tell them. */

import { FsError } from "./errors.ts";

/**
 * The latest time that is stored, in the year 2262: what 64 bits with a sign hold. The earliest is 1970, as guests'
 * system interface has no sign.
 */
export const TIME_MAX = 2n ** 63n - 1n;

/** The time that is stored for another one: the nearest there is. */
export function storable(nanoseconds: bigint): bigint {
  if (nanoseconds < 0n) return 0n;
  return nanoseconds < TIME_MAX ? nanoseconds : TIME_MAX;
}

/** The storable time nearest to a number of milliseconds, to the microsecond. @throws {FsError} EINVAL for NaN */
export function timeOf(milliseconds: number): bigint {
  if (Number.isNaN(milliseconds)) throw new FsError("EINVAL");
  const bounded = Math.min(Math.max(0, milliseconds), Number(TIME_MAX / 1_000_000n));
  return storable(BigInt(Math.round(bounded * 1000)) * 1000n);
}
