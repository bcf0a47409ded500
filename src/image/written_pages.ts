/**
 * Which pages of a memory were written to since somebody last asked (Linux from 6.7 on).
 *
 * Pages are protected, and the kernel notes the first write to each: userfaultfd(2) with write protection that is taken
 * away without anybody being asked (UFFD_FEATURE_WP_ASYNC), and PAGEMAP_SCAN, which tells the pages and protects them again
 * (Linux, Documentation/admin-guide/mm/pagemap.rst).
 *
 * That first write takes some microseconds more (six in a virtual machine), and most programs write to the same few dozen
 * pages as the one before: those are not protected again, and count as written to. To compare one takes far less.
 */

import { addressOf, mapZeros, pagemapDescriptor } from "./copy_on_write.ts";
import { PAGE, WASM_PAGE } from "./pages.ts";

const SYMBOLS = {
  ioctl: { parameters: ["i32", "usize", "buffer"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const;
const SYSTEM_CALL = { syscall: { parameters: ["isize", "i32"], result: "isize" } } as const;
const FAILED = -1;

/** <asm/unistd.h>; libc has no function for it. */
const SYS_USERFAULTFD: Readonly<Record<string, bigint>> = { x86_64: 323n, aarch64: 282n };
const O_CLOEXEC = 0o2000000;
/** Any user may have such a one, and no other is of use here. */
const UFFD_USER_MODE_ONLY = 1;

// <linux/userfaultfd.h>
const UFFD_API = 0xaan;
const UFFD_FEATURE_WP_HUGETLBFS_SHMEM = 1n << 12n;
const UFFD_FEATURE_WP_UNPOPULATED = 1n << 13n;
const UFFD_FEATURE_WP_ASYNC = 1n << 15n;
const FEATURES = UFFD_FEATURE_WP_HUGETLBFS_SHMEM | UFFD_FEATURE_WP_UNPOPULATED | UFFD_FEATURE_WP_ASYNC;
const UFFDIO_API = 0xc018aa3fn;
const UFFDIO_REGISTER = 0xc020aa00n;
const UFFDIO_REGISTER_MODE_WP = 2n;

// <linux/fs.h>
const PAGEMAP_SCAN = 0xc0606610n;
const PM_SCAN_WP_MATCHING = 1n;
const PM_SCAN_CHECK_WPASYNC = 2n;
const PAGE_IS_WRITTEN = 2n;
/** Fields of `struct pm_scan_arg`, and of a `struct page_region`, u64 each. */
const ARGUMENT_FIELDS = 12;
const WALK_END = 4;
const REGION_FIELDS = 3;

/** A page that was written to so often in a row is protected no more. */
const HOT_AFTER = 3;
/** Most that are not protected: each is told, and so looked at, every time. */
const MAX_HOT = 512;
/** So often the system is asked before all are protected again, as programs change. */
const HOT_FOR = 64;
/** To protect pages takes a call for each run of them, or one for all: whichever is less. */
const MAX_RUNS = 16;

/** The page by which it is tried. */
const WRITTEN = 3;

interface Opened {
  readonly libc: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];
  readonly userfaultfd: number;
  /** A question and its answer, in a memory whose address is known. */
  readonly scratch: BigUint64Array<ArrayBuffer>;
  readonly address: bigint;
}

let opened: Opened | undefined;

/**
 * Opens what it takes, after `openCopyOnWrite`, and while the thread may (`--allow-ffi`).
 *
 * @returns Whether memories can be followed from now on.
 */
export function openWrittenPages(): boolean {
  const number = SYS_USERFAULTFD[Deno.build.arch];
  if (number === undefined || pagemapDescriptor() === undefined) return false;
  // Another library, that goes with this function: by it anything could be asked of the system.
  const { symbols: system } = Deno.dlopen("libc.so.6", SYSTEM_CALL);
  const userfaultfd = Number(system.syscall(number, O_CLOEXEC | UFFD_USER_MODE_ONLY));
  if (userfaultfd === FAILED) return false; // not allowed
  const { symbols: libc } = Deno.dlopen("libc.so.6", SYMBOLS);
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
  const address = mapZeros(memory);
  const api = new BigUint64Array([UFFD_API, FEATURES, 0n]);
  if (address === undefined || libc.ioctl(userfaultfd, UFFDIO_API, api) === FAILED) {
    libc.close(userfaultfd);
    return false;
  }
  opened = { libc, userfaultfd, scratch: new BigUint64Array(memory.buffer as ArrayBuffer), address };
  if (!isTrue()) closeWrittenPages();
  return opened !== undefined;
}

/** Whether the system tells what was written to, and nothing else. */
function isTrue(): boolean {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
  mapZeros(memory);
  const written = new WrittenPages(memory);
  const told = (): string => {
    const pages: number[] = [];
    written.take((first, end) => pages.push(first, end));
    return String(pages);
  };
  if (!written.follow()) return false;
  new Uint8Array(memory.buffer)[WRITTEN * PAGE] = 1;
  return told() === String([WRITTEN, WRITTEN + 1]) && told() === "";
}

/** Takes pages from `first` up to `end`. */
type Take = (first: number, end: number) => void;

/** Follows one memory. */
export class WrittenPages {
  /** From the memory's start on, bytes. */
  #followed = 0;
  /** How often the system was asked. */
  #asked = 0;
  /** Of each page, when it was told last, as `#asked` was then; and how often in a row. */
  #toldAt = new Uint32Array(0);
  #row = new Uint8Array(0);

  constructor(readonly memory: WebAssembly.Memory) {}

  /** Pages that are followed, from the first on. Of the others nothing is known. */
  get followed(): number {
    return this.#followed / PAGE;
  }

  /** Follows all of the memory, also what it has grown by: it counts as not written to since. @returns Whether it can be done. */
  follow(): boolean {
    const address = addressOf(this.memory);
    if (!opened || address === undefined) return false;
    const [start, end] = [this.#followed, this.memory.buffer.byteLength];
    if (start === end) return true;
    const { libc, userfaultfd } = opened;
    const range = [address + BigInt(start), BigInt(end - start), UFFDIO_REGISTER_MODE_WP, 0n];
    this.#followed = end;
    const done = libc.ioctl(userfaultfd, UFFDIO_REGISTER, new BigUint64Array(range)) !== FAILED &&
      this.#scan(start, end, () => {});
    if (!done) this.#followed = 0;
    return done;
  }

  /**
   * Tells the followed pages that were written to since this, or {@link follow}, was last called, and maybe some that
   * mostly are. If it fails none is followed.
   */
  take(take: Take): void {
    if (!this.#take(take)) this.#followed = 0;
  }

  #take(take: Take): boolean {
    const anew = this.#asked++ % HOT_FOR === 0;
    if (anew || this.#row.length < this.followed) this.#learnAnew();
    const runs: [first: number, end: number][] = [];
    let hot = 0;
    const told = this.#scan(0, this.#followed, (first, end) => {
      take(first, end);
      for (let page = first; page < end; page++) {
        if (hot < MAX_HOT && this.#wasTold(page) >= HOT_AFTER) hot++;
        else if (runs.at(-1)?.[1] === page) runs.at(-1)![1]++;
        else runs.push([page, page + 1]);
      }
    }, false);
    if (!told) return false;
    if (anew || runs.length > MAX_RUNS) return this.#scan(0, this.#followed, () => {});
    return runs.every(([first, end]) => this.#scan(first * PAGE, end * PAGE, () => {}));
  }

  /** Notes that a page is told. @returns How often in a row it was. */
  #wasTold(page: number): number {
    const before = this.#toldAt[page] === this.#asked - 1 ? this.#row[page]! : 0;
    this.#toldAt[page] = this.#asked;
    return this.#row[page] = Math.min(before + 1, HOT_AFTER);
  }

  #learnAnew(): void {
    this.#toldAt = new Uint32Array(this.followed);
    this.#row = new Uint8Array(this.followed);
  }

  /** @param protect Whether the pages that are told are followed from now on. */
  #scan(start: number, end: number, take: Take, protect = true): boolean {
    const address = addressOf(this.memory);
    const pagemap = pagemapDescriptor();
    if (!opened || address === undefined || pagemap === undefined) return false;
    const { libc, scratch } = opened;
    const most = Math.floor((WASM_PAGE / 8 - ARGUMENT_FIELDS) / REGION_FIELDS);
    const last = address + BigInt(end);
    let told = 0; // up to this page: where the answer has no room for more, the walk may end before what is in it
    for (let from = address + BigInt(start); from < last; from = scratch[WALK_END]!) {
      scratch.set([
        BigInt(ARGUMENT_FIELDS * 8),
        PM_SCAN_CHECK_WPASYNC | (protect ? PM_SCAN_WP_MATCHING : 0n),
        from,
        last,
        0n,
        opened.address + BigInt(ARGUMENT_FIELDS * 8),
        BigInt(most),
        0n, // as many pages as there are
        0n,
        PAGE_IS_WRITTEN,
        0n,
        PAGE_IS_WRITTEN,
      ]);
      const regions = libc.ioctl(pagemap, PAGEMAP_SCAN, scratch);
      if (regions === FAILED || scratch[WALK_END]! <= from) return false;
      for (let region = 0; region < regions; region++) {
        const at = ARGUMENT_FIELDS + region * REGION_FIELDS;
        const page = (field: number) => Number(scratch[at + field]! - address) / PAGE;
        if (page(1) > told) take(Math.max(told, page(0)), page(1));
        told = Math.max(told, page(1));
      }
    }
    return true;
  }
}

/** Gives back what was opened. No memory is followed any more. */
export function closeWrittenPages(): void {
  opened?.libc.close(opened.userfaultfd);
  opened = undefined;
}
