/**
 * Packing for guests, by the library that they have themselves: inside QuickJS a megabyte takes half a second and more.
 *
 * Nothing is kept between calls. Each is bounded, looks up between its pieces, and is charged as fuel by what it does.
 */

import { Deflate, Gzip, Zlib } from "fflate/browser";
import { concatBytes } from "../../bytes.ts";
import { GuestError } from "./guest_error.ts";

/** What packs, by what Node calls the format. It is made when something is packed: the library computes tables first. */
const formats = () => ({ gzip: Gzip, deflate: Zlib, deflateRaw: Deflate });
type Format = keyof ReturnType<typeof formats>;
const LEVELS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** Most bytes that are packed by a call. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Some milliseconds' work. */
const PIECE_BYTES = 64 * 1024;
/** Fuel for a call and for a byte, for what takes as long as one unit of the guest's own does, measured. */
const FUEL_PER_CALL = 10_000;
const FUEL_PER_BYTE = 6;

/** @param charge Takes fuel for what is done. @param look Called every few milliseconds; throws if it is to end. */
export function packing(charge: (fuel: number) => void, look: () => void) {
  /** @throws {GuestError} if there is no such format or level, or it is too much. */
  return (format: string, level: number, data: Uint8Array): Uint8Array => {
    const known = LEVELS.find((each) => each === level);
    const ways = formats();
    if (!Object.hasOwn(ways, format) || known === undefined) {
      throw new GuestError("there is no such way to pack");
    }
    if (data.length > MOST_BYTES) throw new GuestError(`${MOST_BYTES >> 20} MiB can be packed at once`);
    charge(FUEL_PER_CALL);
    const parts: Uint8Array[] = [];
    const stream = new ways[format as Format]({ level: known, mtime: 0 }, (part) => void parts.push(part));
    for (let at = 0; at === 0 || at < data.length; at += PIECE_BYTES) {
      look();
      const piece = data.slice(at, at + PIECE_BYTES);
      charge(piece.length * FUEL_PER_BYTE);
      stream.push(piece, at + PIECE_BYTES >= data.length);
    }
    return concatBytes(parts);
  };
}
