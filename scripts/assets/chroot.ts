/** A build root on a Debian of any release: a chroot, made by debootstrap. Needs root, but no right to mount. */

import { join } from "node:path";
import {
  type BuildRoot,
  buildRootDigest,
  parseVersions,
  provisioningEnv,
  provisioningScript,
} from "./build_root.ts";
import { obtainDebootstrap } from "./debootstrap.ts";
import { isolation } from "./isolation.ts";
import { run, tryRun } from "./process.ts";
import { step } from "./progress.ts";
import { SUITE } from "./recipe.ts";
import { ROOT_STEPS } from "./steps.ts";
import type { StageStore } from "./store.ts";

const SOURCES = "/src";
const WORKSPACE = "/build";
const SHELL_PATH = "/usr/sbin:/usr/bin:/sbin:/bin";
const CERTIFICATES = "etc/ssl/certs/ca-certificates.crt";

/** Whether we may do what debootstrap starts with; root of some containers may not. */
export async function canMakeDevices(): Promise<boolean> {
  const directory = await Deno.makeTempDir();
  const made = await tryRun(["mknod", join(directory, "null"), "c", "1", "3"]);
  await Deno.remove(directory, { recursive: true });
  return made !== undefined;
}

/** The chroot of the cache, which is made first if it is not there. */
export async function chrootBuildRoot(store: StageStore): Promise<BuildRoot> {
  const prefix = await isolation();
  const enter = (root: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const settings = Object.entries({ ...forwardedEnv(), ...env }).map(([name, value]) => `${name}=${value}`);
    return [
      ...prefix,
      "/usr/sbin/chroot",
      root,
      "/usr/bin/env",
      "-i",
      `PATH=${SHELL_PATH}`,
      ...settings,
      ...argv,
    ];
  };
  const digest = await buildRootDigest({ shape: "chroot" });
  const root = await store.obtain("root", digest, async (directory) => {
    await step(ROOT_STEPS.chroot.system, () => bootstrap(store, directory, prefix));
    await step(ROOT_STEPS.chroot.toolchain, async () => {
      const argv = enter(directory, ["bash", "-s"], provisioningEnv(SOURCES));
      await run("installing the toolchain", { argv, input: await provisioningScript() });
    });
  });
  return {
    versions: parseVersions(await Deno.readTextFile(join(root, SOURCES, "versions.txt"))),
    sources: SOURCES,
    workspace: { outside: join(root, WORKSPACE), inside: WORKSPACE },
    command: (argv, env) => enter(root, argv, env),
  };
}

/** Settings of the network, the one part of our environment that reaches into the chroot. */
function forwardedEnv(): Record<string, string> {
  const names = ["http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
  const pairs = names.map((name) => [name, Deno.env.get(name)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

async function bootstrap(store: StageStore, directory: string, prefix: readonly string[]): Promise<void> {
  const { command, env } = await obtainDebootstrap(store);
  const mirror = await debianMirror();
  await run("debootstrap", {
    argv: [
      ...prefix,
      command,
      "--variant=minbase",
      "--include=ca-certificates",
      SUITE,
      directory,
      ...(mirror ? [mirror] : []),
    ],
    env,
  });
  await Deno.writeTextFile(join(directory, "etc/apt/apt.conf.d/90proxy"), await aptProxies());
  // What is half-way there after a crash of this machine is thrown away: nothing has to be on the disk before.
  await Deno.writeTextFile(join(directory, "etc/dpkg/dpkg.cfg.d/unsafe-io"), "force-unsafe-io\n");
  await Deno.copyFile(join("/", CERTIFICATES), join(directory, CERTIFICATES)).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.mkdir(join(directory, WORKSPACE), { recursive: true });
}

/** The archive that this system's own packages come from; undefined leaves it to debootstrap. */
async function debianMirror(): Promise<string | undefined> {
  const listing = await tryRun([
    "apt-get",
    ...["-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache="], // which it would write
    "indextargets",
    "--format",
    "$(REPO_URI)",
    "Origin: Debian",
    "Label: Debian",
    "Component: main",
    "Created-By: Packages",
  ]);
  return listing?.split("\n").find((uri) => /^https?:/.test(uri));
}

/** The proxy settings of this system's apt, as lines of an apt configuration. */
async function aptProxies(): Promise<string> {
  const dump = await tryRun(["apt-config", "dump"]);
  return dump?.split("\n").filter((line) => /^Acquire::(\w+::)?Proxy\b/i.test(line)).map((line) =>
    `${line}\n`
  ).join("") ??
    "";
}
