/** Functions of the host's where QuickJS calls one by a pointer: `JSHostPromiseRejectionTracker`, `JSPromiseHook`. */

const I32 = 0x7f;
const I64 = 0x7e;

/**
 * `(import "h" "f" (func (param …)))`, exported as "f": only functions that come out of wasm can be put into a table.
 */
const wrapperOf = (...parameters: readonly [number, number, number, number, number]) =>
  Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...[0x01, 0x09, 0x01, 0x60, 0x05, ...parameters, 0x00],
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

/** @param type `JSPromiseHookType`. */
export type PromiseHook = (
  context: number,
  type: number,
  promise: bigint,
  parent: bigint,
  opaque: number,
) => void;

const wrappers = {
  tracker: { bytes: wrapperOf(I32, I64, I64, I32, I32), fromEnd: 1 },
  hook: { bytes: wrapperOf(I32, I32, I64, I64, I32), fromEnd: 2 },
};
const modules = new Map<keyof typeof wrappers, WebAssembly.Module>();

/** Puts a tracker of rejections into its place at a table's end, which `wasm/quickjs` has added. @returns The pointer to it. */
export const putTracker = (table: WebAssembly.Table, tracker: RejectionTracker): number =>
  putFunction(table, "tracker", tracker);

/** As {@link putTracker}, what is told of promises. */
export const putPromiseHook = (table: WebAssembly.Table, hook: PromiseHook): number =>
  putFunction(table, "hook", hook);

function putFunction(
  table: WebAssembly.Table,
  kind: keyof typeof wrappers,
  call: RejectionTracker | PromiseHook,
): number {
  const { bytes, fromEnd } = wrappers[kind];
  const module = modules.get(kind) ?? new WebAssembly.Module(bytes);
  modules.set(kind, module);
  const { exports } = new WebAssembly.Instance(module, { h: { f: call } });
  const pointer = table.length - fromEnd;
  table.set(pointer, exports["f"] as CallableFunction);
  return pointer;
}
