/** The steps of a build in their order, for whoever waits for it. */

import { SUITE } from "./recipe.ts";

/** A step of a build. */
export interface Step {
  readonly what: string;
  /** What it takes on two shared cores with a good connection; absent where that is next to nothing. */
  readonly seconds?: number;
  /** Of the cache: while that has nothing of this stage, the step will have to be gone through. */
  readonly stage?: string;
}

/** Those that make a build root, by its shape. */
export const ROOT_STEPS = {
  host: {
    toolchain: { what: "installing the toolchain", seconds: 25, stage: "sources" },
    sources: { what: "downloading sources", seconds: 5, stage: "sources" },
  },
  chroot: {
    system: { what: `making a Debian ${SUITE} chroot`, seconds: 30, stage: "root" },
    toolchain: { what: "installing the toolchain, downloading sources", seconds: 25, stage: "root" },
  },
  container: { image: { what: `making a Debian ${SUITE} image`, seconds: 60, stage: "root" } },
} as const satisfies Record<string, Record<string, Step>>;

/** Those of every build, after that. */
export const STEPS = {
  libraries: { what: "building CPython", seconds: 180, stage: "libpython" },
  link: { what: "linking python.wasm", stage: "link" },
  stdlib: { what: "packing the stdlib", seconds: 3, stage: "stdlib" },
  python: { what: "metering python.wasm", stage: "metered-python" },
  quickjs: { what: "metering quickjs.wasm", stage: "metered-quickjs" },
  resvg: { what: "metering resvg.wasm", stage: "metered-resvg" },
  image: { what: "making Python's base image", seconds: 2, stage: "image" },
  debs: { what: "downloading Python packages", seconds: 4, stage: "debs" },
  wheels: { what: "downloading wheels", seconds: 2, stage: "wheels" },
  packages: { what: "packing Python packages", seconds: 30, stage: "packages" },
  pip: { what: "making the image of pip", seconds: 2, stage: "installer-image" },
} as const satisfies Record<string, Step>;

/** A time for people who wait: "40 s", "4 minutes". */
export function duration(seconds: number): string {
  return seconds <= 90 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
}
