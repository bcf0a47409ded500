/** A function of the host's where QuickJS calls one by a pointer: its `JSHostPromiseRejectionTracker`. */

/**
 * `(import "h" "f" (func (param i32 i64 i64 i32 i32)))`, exported as "f": only functions that come out of wasm can be
 * put into a table.
 */
const WRAPPER = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x09, 0x01, 0x60, 0x05, 0x7f, 0x7e, 0x7e, 0x7f, 0x7f, 0x00],
  ...[0x02, 0x07, 0x01, 0x01, 0x68, 0x01, 0x66, 0x00, 0x00],
  ...[0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x00],
);

/** @param handled 1 if a handler was added to one that had been told of, else 0. */
export type RejectionTracker = (
  context: number,
  promise: bigint,
  reason: bigint,
  handled: number,
  opaque: number,
) => void;

let wrapper: WebAssembly.Module | undefined;

/** Puts the tracker into the last place of a table, which `wasm/quickjs` has added. @returns The pointer to it. */
export function putTracker(table: WebAssembly.Table, tracker: RejectionTracker): number {
  wrapper ??= new WebAssembly.Module(WRAPPER);
  const { exports } = new WebAssembly.Instance(wrapper, { h: { f: tracker } });
  const pointer = table.length - 1;
  table.set(pointer, exports["f"] as CallableFunction);
  return pointer;
}
