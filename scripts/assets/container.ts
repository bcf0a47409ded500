/** A build root on any other system: a Debian container, where an engine answers. */

import { join } from "node:path";
import {
  type BuildRoot,
  buildRootDigest,
  parseVersions,
  provisioningEnv,
  provisioningScript,
} from "./build_root.ts";
import { run, tryRun } from "./process.ts";
import { step } from "./progress.ts";
import { SUITE } from "./recipe.ts";
import { ROOT_STEPS } from "./steps.ts";
import type { StageStore } from "./store.ts";

const SOURCES = "/src";
const WORKSPACE = "/build";

/** The engine that answers: the client alone, without a daemon, is of no use. */
export async function findEngine(): Promise<string | undefined> {
  for (const engine of ["docker", "podman"]) {
    if (await tryRun([engine, "info"]) !== undefined) return engine;
  }
  return undefined;
}

/** The image of the engine's own store, which is made first if it is not there. */
export async function containerBuildRoot(store: StageStore, engine: string): Promise<BuildRoot> {
  const digest = await buildRootDigest({ shape: "container" });
  const image = `wasmbox-build:${digest.slice(0, 16)}`;
  if (await tryRun([engine, "image", "inspect", image]) === undefined) {
    await step(ROOT_STEPS.container.image, () => makeImage(engine, image, digest));
  }
  const workspace = join(store.directory, "workspace");
  const command: BuildRoot["command"] = (argv, env = {}) => {
    const settings = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
    // As ourselves, so that what is made belongs to us; on a system without user ids the engine maps them.
    const user = Deno.build.os === "linux" && engine === "docker"
      ? ["--user", `${Deno.uid()}:${Deno.gid()}`]
      : [];
    // Without the label option SELinux keeps containers from the volume.
    const mount = ["--security-opt", "label=disable", "--volume", `${workspace}:${WORKSPACE}`];
    return [engine, "run", "--rm", "--interactive", ...user, ...mount, ...settings, image, ...argv];
  };
  await Deno.mkdir(workspace, { recursive: true });
  const versions = await run("reading the image", { argv: command(["cat", `${SOURCES}/versions.txt`]) });
  return {
    versions: parseVersions(versions),
    sources: SOURCES,
    workspace: { outside: workspace, inside: WORKSPACE },
    command,
  };
}

/** Provisions a container and commits it: needs no build context and no Dockerfile dialect. */
async function makeImage(engine: string, image: string, digest: string): Promise<void> {
  const name = `wasmbox-build-${digest.slice(0, 16)}`;
  await tryRun([engine, "rm", "--force", name]);
  try {
    const settings = Object.entries(provisioningEnv(SOURCES)).flatMap((
      [key, value],
    ) => ["--env", `${key}=${value}`]);
    // The image's list of package sources has never been read.
    const input = `apt-get -qq update\n${await provisioningScript()}`;
    await run("preparing the container", {
      argv: [engine, "run", "--name", name, "--interactive", ...settings, `debian:${SUITE}`, "bash", "-s"],
      input,
    });
    await run("keeping the container's image", { argv: [engine, "commit", name, image] });
  } finally {
    await tryRun([engine, "rm", "--force", name]);
  }
}
