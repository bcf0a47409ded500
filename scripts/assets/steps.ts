/** The steps of a build in their order, for whoever waits for it. */

import { SUITE } from "./recipe.ts";

/** A step of a build. */
export interface Step {
  readonly what: string;
  /** What it takes on two shared cores with a good connection; absent where that is next to nothing. */
  readonly seconds?: number;
  /** Whether it is done beside longer ones, and so adds little to the time of all. */
  readonly beside?: true;
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
    system: { what: `making a Debian ${SUITE} chroot`, seconds: 45, stage: "root" },
    toolchain: { what: "installing the toolchain, downloading sources", seconds: 30, stage: "root" },
  },
  container: { image: { what: `making a Debian ${SUITE} image`, seconds: 60, stage: "root" } },
} as const satisfies Record<string, Record<string, Step>>;

/** Those of every build, after that; {@link stepsOf} has them in their order. */
export const STEPS = {
  libraries: { what: "building CPython", seconds: 200, stage: "libpython" },
  debs: { what: "downloading Python packages", seconds: 4, beside: true, stage: "debs" },
  wheels: { what: "downloading wheels", seconds: 2, beside: true, stage: "wheels" },
  packages: { what: "packing Python packages", seconds: 50, beside: true, stage: "packages" },
  link: { what: "linking python.wasm", stage: "link" },
  stdlib: { what: "packing the stdlib", seconds: 3, stage: "stdlib" },
  python: { what: "metering python.wasm", stage: "metered-python" },
  quickjsDownload: { what: "downloading QuickJS", seconds: 1, beside: true, stage: "quickjs-sources" },
  quickjsBuild: { what: "building QuickJS", seconds: 60, beside: true, stage: "quickjs" },
  quickjs: { what: "metering quickjs.wasm", stage: "metered-quickjs" },
  resvg: { what: "metering resvg.wasm", stage: "metered-resvg" },
  image: { what: "making Python's base image", seconds: 2, stage: "image" },
  pip: { what: "making the image of pip", seconds: 2, stage: "installer-image" },
  javascriptLibraries: {
    what: "bundling JavaScript's libraries",
    seconds: 2,
    stage: "javascript-libraries",
  },
  javascriptImage: { what: "making JavaScript's base image", stage: "javascript-image" },
  page: { what: "bundling the page", seconds: 2, stage: "page" },
} as const satisfies Record<string, Step>;

/** Where Rust is needed. */
export const RUST_STEP = { what: "downloading Rust", seconds: 35, stage: "rust" } as const satisfies Step;

/** Those of numpy and what stands on it. */
export const SCIENCE_STEPS = {
  sourcesDownload: {
    what: "downloading the sources of numpy and others",
    seconds: 25,
    stage: "science-sources",
  },
  formatsDownload: { what: "downloading libtiff and others", seconds: 10, stage: "formats-sources" },
  documentsDownload: { what: "downloading lxml and others", seconds: 5, stage: "documents-sources" },
  tools: { what: "building C++'s library", seconds: 20, stage: "science-tools" },
  libraries: {
    what: "building FreeType, libjpeg, libwebp and qhull",
    seconds: 40,
    stage: "science-libraries",
  },
  formats: { what: "building libtiff, OpenJPEG and Little CMS", seconds: 15, stage: "science-formats" },
  numpy: { what: "building numpy", seconds: 150, stage: "science-numpy" },
  overflow: { what: "building what stands in for parts of numpy", seconds: 2, stage: "science-overflow" },
  pandas: { what: "building pandas", seconds: 340, stage: "science-pandas" },
  pillow: { what: "building Pillow", seconds: 15, stage: "science-pillow" },
  matplotlib: { what: "building matplotlib", seconds: 130, stage: "science-matplotlib" },
  documents: { what: "building lxml and regex", seconds: 130, stage: "science-documents" },
  fontsDownload: { what: "downloading fonts", seconds: 5, stage: "fonts-sources" },
  fonts: { what: "taking fonts", stage: "science-fonts" },
  rustDownload: { what: "downloading pydantic and others", seconds: 3, stage: "rust-sources" },
  parquetDownload: { what: "downloading fastparquet", seconds: 3, stage: "parquet-sources" },
  compiler: RUST_STEP,
  crates: { what: "downloading crates", seconds: 15, stage: "science-crates" },
  rust: { what: "building pydantic, orjson and others", seconds: 200, stage: "science-rust" },
  parquet: { what: "building fastparquet", seconds: 10, stage: "science-parquet" },
  pack: { what: "packing them", seconds: 30, stage: "science-packages" },
  link: { what: "linking python-science.wasm", stage: "link" },
  metering: { what: "metering python-science.wasm", seconds: 3, stage: "metered-science" },
  image: { what: "making the image with pandas and matplotlib", seconds: 5, stage: "science-image" },
} as const satisfies Record<string, Step>;

/** Those of scipy and what stands on it. */
export const SCIPY_STEPS = {
  scipyDownload: { what: "downloading scipy and LAPACK", seconds: 15, stage: "scipy-sources" },
  sklearnDownload: { what: "downloading scikit-learn", seconds: 5, stage: "sklearn-sources" },
  lapack: { what: "building LAPACK", seconds: 60, stage: "science-lapack" },
  scipy: { what: "building scipy", seconds: 400, stage: "science-scipy" },
  sklearn: { what: "building scikit-learn", seconds: 240, stage: "science-sklearn" },
  pack: { what: "packing scipy and scikit-learn", seconds: 15, stage: "scipy-packages" },
  link: { what: "linking python-scipy.wasm", stage: "link" },
  metering: { what: "metering python-scipy.wasm", seconds: 4, stage: "metered-scipy" },
  image: { what: "making the image with scipy", seconds: 8, stage: "scipy-image" },
} as const satisfies Record<string, Step>;

/** Those of the shell. */
export const SHELL_STEPS = {
  rust: RUST_STEP,
  crates: { what: "downloading the shell's crates", seconds: 15, stage: "shell-crates" },
  libraries: { what: "building the shell's crates", seconds: 240, stage: "shell-libraries" },
  compile: { what: "building the shell", seconds: 15, stage: "shell" },
  metering: { what: "metering shell.wasm", seconds: 2, stage: "metered-shell" },
  image: { what: "making the shell's base image", stage: "shell-image" },
} as const satisfies Record<string, Step>;

/** The steps of a build in their order, but for those of its root. */
export function stepsOf({ science, scipy, shell }: Parts): readonly Step[] {
  const more = scipy ? Object.values(SCIPY_STEPS) : [];
  return [...pythonSteps(science), ...more, ...shell ? Object.values(SHELL_STEPS) : []];
}

/** What of the assets not every build has. */
export interface Parts {
  readonly science: boolean;
  /** With science alone. */
  readonly scipy: boolean;
  readonly shell: boolean;
}

function pythonSteps(science: boolean): readonly Step[] {
  const { libraries, debs, wheels, packages, quickjsDownload, quickjsBuild, ...rest } = STEPS;
  const first = [libraries, debs, wheels, packages, quickjsDownload, quickjsBuild];
  if (!science) return [...first, ...Object.values(rest)];
  const { link, metering, image, ...building } = SCIENCE_STEPS;
  return [...first, ...Object.values(building), ...Object.values(rest), link, metering, image];
}

/** A time for people who wait: "40 s", "4 minutes". */
export function duration(seconds: number): string {
  return seconds <= 90 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
}
