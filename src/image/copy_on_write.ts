/**
 * Memory that heaps share with the one they started from until they write to it, page by page (Linux).
 *
 * A base heap's memory lies in a memory file (memfd_create(2)); each heap that starts from it maps that file privately over
 * its own memory, and the kernel copies a page when it is first written to. Where this can't be had heaps are filled by
 * copying, which comes to the same: see {@link openCopyOnWrite}.
 */

import { PAGE } from "./pages.ts";

const LIBRARY = "libc.so.6";

// <sys/mman.h>, as on x86-64 and arm64.
const PROT_READ_WRITE = 1 | 2;
const MAP_SHARED = 0x01;
const MAP_PRIVATE = 0x02;
const MAP_FIXED = 0x10;
const MAP_ANONYMOUS = 0x20;
const MFD_CLOEXEC = 1;
/** Since Linux 5.14. */
const MADV_POPULATE_WRITE = 23;

const SYMBOLS = {
  memfd_create: { parameters: ["buffer", "u32"], result: "i32" },
  ftruncate: { parameters: ["i32", "usize"], result: "i32" },
  mmap: { parameters: ["buffer", "usize", "i32", "i32", "i32", "usize"], result: "usize" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
  sysconf: { parameters: ["i32"], result: "isize" },
  pread: { parameters: ["i32", "buffer", "usize", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
  madvise: { parameters: ["buffer", "usize", "i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;
const FAILED = -1;
/** What mmap gives then. */
const MAP_FAILED = 2n ** 64n - 1n;
const O_CLOEXEC = 0o2000000;
const _SC_PAGESIZE = 30;

/** The page with which the pagemap is tried. */
const WRITTEN = 3;

/** Bytes that `/proc/self/pagemap` has for each page. */
export const PAGEMAP_ENTRY = 8;

/** Where memories are that were mapped over. */
const addresses = new WeakMap<WebAssembly.Memory, bigint>();
/** A descriptor of `/proc/self/pagemap`. */
let pagemap = FAILED;
/** Bytes of all memory files of the process. */
let fileBytes = 0;
let libc: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] | undefined;

/**
 * Opens what it takes. To be called while the thread may (`--allow-ffi`), and before it gives that up: what is open goes
 * on working.
 *
 * @returns Whether memory can be shared from now on.
 */
export function openCopyOnWrite(): boolean {
  if (Deno.build.os !== "linux") return false;
  try {
    const { symbols } = Deno.dlopen(LIBRARY, SYMBOLS);
    if (Number(symbols.sysconf(_SC_PAGESIZE)) !== PAGE) return false;
    libc = symbols;
    pagemap = libc.open(new TextEncoder().encode("/proc/self/pagemap\0"), O_CLOEXEC);
    if (!pagemapIsTrue()) pagemap = FAILED;
  } catch {
    libc = undefined; // another C library, or it is not allowed
  }
  return libc !== undefined;
}

/** Gives back what was opened. Memories stay as they are. */
export function closeCopyOnWrite(): void {
  if (pagemap !== FAILED) libc?.close(pagemap);
  pagemap = FAILED;
  libc = undefined;
}

/** Whether the system tells pages that were written to from others: some that imitate Linux have zeros for all. */
function pagemapIsTrue(): boolean {
  const memory = new WebAssembly.Memory({ initial: 1 });
  if (mapZeros(memory) === undefined) return false;
  new Uint8Array(memory.buffer)[WRITTEN * PAGE] = 1;
  const entries = new BigUint64Array(memory.buffer.byteLength / PAGE);
  if (!readPagemap(memory, 0, new Uint8Array(entries.buffer))) return false;
  return entries.every((entry, page) => (entry >> 61n) === (page === WRITTEN ? 0b100n : 0n));
}

/**
 * Puts a memory file below a memory that nothing was written to yet.
 *
 * @param memory Shared, so that it never moves nor grows.
 * @returns The file's descriptor, for all threads of the process; undefined if there is none.
 */
export function fileBelow({ buffer }: WebAssembly.Memory): number | undefined {
  const bytes = buffer.byteLength;
  if (!libc || bytes === 0) return undefined;
  const file = libc.memfd_create(new TextEncoder().encode("base\0"), MFD_CLOEXEC);
  if (file === FAILED || libc.ftruncate(file, BigInt(bytes)) === FAILED) return undefined;
  const mapped = libc.mmap(at(buffer, 0), BigInt(bytes), PROT_READ_WRITE, MAP_SHARED | MAP_FIXED, file, 0n);
  if (mapped === MAP_FAILED) return undefined;
  fileBytes += bytes;
  return file;
}

/** What memory files take at most, in bytes. The system counts it as resident once for each heap that maps one. */
export function sharedBytes(): number {
  return fileBytes;
}

/**
 * Gives a memory the contents of a file, at the same addresses, in the place of what it has there.
 *
 * @param start First of the bytes, at the start of a page; the others follow up to `end`.
 * @returns Whether it could be done; if not, the memory is as it was.
 */
export function mapOver(memory: WebAssembly.Memory, file: number, start: number, end: number): boolean {
  if (!libc) return false;
  const [length, offset] = [BigInt(end - start), BigInt(start)];
  const flags = MAP_PRIVATE | MAP_FIXED;
  const mapped = libc.mmap(at(memory.buffer, start), length, PROT_READ_WRITE, flags, file, offset);
  if (mapped === MAP_FAILED) return false;
  addresses.set(memory, mapped - offset);
  return true;
}

/**
 * Asks what the system knows of the pages of a memory: whether they were written to since {@link mapOver}.
 *
 * @param first Number of the first page.
 * @param entries Gets an entry for each page from there on.
 * @returns False if it can't be known.
 */
export function readPagemap(
  memory: WebAssembly.Memory,
  first: number,
  entries: Uint8Array,
): boolean {
  const address = addresses.get(memory);
  if (!libc || address === undefined || pagemap === FAILED) return false;
  const offset = (address / BigInt(PAGE) + BigInt(first)) * BigInt(PAGEMAP_ENTRY);
  return Number(libc.pread(pagemap, entries as Uint8Array<ArrayBuffer>, BigInt(entries.length), offset)) ===
    entries.length;
}

/**
 * Gives the pages of a memory back, as nobody will look at what is there again: it may be long until it is collected.
 *
 * @returns Whether it is all zeros now.
 */
export function giveBack(memory: WebAssembly.Memory): boolean {
  return memory.buffer.byteLength > 0 && mapZeros(memory) !== undefined;
}

/** Puts zeros in the place of what a memory has. @returns Its address; undefined if it could not be done. */
export function mapZeros(memory: WebAssembly.Memory): bigint | undefined {
  const { buffer } = memory;
  const flags = MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS;
  const mapped = libc?.mmap(at(buffer, 0), BigInt(buffer.byteLength), PROT_READ_WRITE, flags, -1, 0n);
  if (mapped === undefined || mapped === MAP_FAILED) return undefined;
  addresses.set(memory, mapped);
  return mapped;
}

/**
 * Has the system give pages that are written to next, all at once: each by itself costs a hundred times what it is
 * written with. Where that can't be had they come one by one.
 *
 * @param end Of the bytes; both ends at the start of a page.
 */
export function provide({ buffer }: WebAssembly.Memory, start: number, end: number): void {
  libc?.madvise(at(buffer, start), BigInt(end - start), MADV_POPULATE_WRITE);
}

/** Where a memory is that was mapped over. */
export function addressOf(memory: WebAssembly.Memory): bigint | undefined {
  return addresses.get(memory);
}

/** A descriptor of `/proc/self/pagemap`, if that is true. */
export function pagemapDescriptor(): number | undefined {
  return pagemap === FAILED ? undefined : pagemap;
}

function at(buffer: ArrayBufferLike, address: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer as ArrayBuffer, address);
}
