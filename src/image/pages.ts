/** Unit of what is kept of a heap, bytes. 64 KiB pages would keep five times as much of a delta. */
export const PAGE = 4096;
/** WebAssembly's page, the unit in which memories grow, bytes. */
export const WASM_PAGE = 65_536;
export const MAX_WASM_PAGES = 65_536;

/** Pages that follow one another, of some that ascend. */
export function* runsOf(pages: Iterable<number>): Generator<readonly [first: number, end: number]> {
  let first = -1;
  let end = -1;
  for (const page of pages) {
    if (page !== end) {
      if (end > first) yield [first, end];
      first = page;
    }
    end = page + 1;
  }
  if (end > first) yield [first, end];
}
