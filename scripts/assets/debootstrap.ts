/** debootstrap, which makes a Debian system in a directory: this system's own, or one that is unpacked, not installed. */

import { join } from "node:path";
import { digestFiles, digestOf } from "./digest.ts";
import { AssetsError } from "./errors.ts";
import { isolation } from "./isolation.ts";
import { repository } from "./paths.ts";
import { run, tryRun } from "./process.ts";
import type { StageStore } from "./store.ts";

/** The command, without arguments, and its environment beside ours. */
export interface Debootstrap {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Has the `wget` that debootstrap downloads with. */
const DOWNLOADER = join(repository, "wasm/python/build/bin");
const FETCH = "wasm/python/packages/fetch.sh";

/** @throws {AssetsError} if this system has no debootstrap, and apt can't download one. */
export async function obtainDebootstrap(store: StageStore): Promise<Debootstrap> {
  const env = { PATH: `${DOWNLOADER}:${Deno.env.get("PATH") ?? ""}:/usr/sbin:/usr/bin:/sbin:/bin` };
  if (await tryRun(["debootstrap", "--version"]) !== undefined) return { command: "debootstrap", env };
  const system = await Deno.readTextFile("/etc/os-release");
  const digest = digestOf({ system, ...await digestFiles(repository, [FETCH]) });
  const directory = await store.obtain("debootstrap", digest, unpack);
  return {
    command: join(directory, "usr/sbin/debootstrap"),
    env: { ...env, DEBOOTSTRAP_DIR: join(directory, "usr/share/debootstrap") },
  };
}

/** By this system's apt, which checks signatures. It changes nothing of the system's: its lists are as they were. */
async function unpack(target: string): Promise<void> {
  const work = join(target, "work");
  await Deno.mkdir(join(work, "out"), { recursive: true });
  await run("downloading debootstrap", {
    argv: [...await isolation(), "bash", join(repository, FETCH)],
    env: { WORK: work, PACKAGES: "debootstrap" },
  });
  const [name] = [...Deno.readDirSync(join(work, "out"))].map(({ name }) => name);
  if (name === undefined) throw new AssetsError("downloading debootstrap: apt-get left nothing");
  await run("unpacking debootstrap", { argv: ["dpkg-deb", "--extract", join(work, "out", name), target] });
  await Deno.remove(work, { recursive: true });
}
