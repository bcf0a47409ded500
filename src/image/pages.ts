/** Unit of what is kept of a heap, bytes. 64 KiB pages would keep five times as much of a delta. */
export const PAGE = 4096;
/** WebAssembly's page, the unit in which memories grow, bytes. */
export const WASM_PAGE = 65_536;
export const MAX_WASM_PAGES = 65_536;
