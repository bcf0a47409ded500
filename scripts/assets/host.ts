/** A build root where this system is a Debian of the pinned suite: the system itself. */

import { join } from "node:path";
import {
  type BuildRoot,
  buildRootDigest,
  parseVersions,
  provisioningEnv,
  provisioningScript,
} from "./build_root.ts";
import { isolation } from "./isolation.ts";
import { run, tryRun } from "./process.ts";
import { step } from "./progress.ts";
import { PACKAGES } from "./recipe.ts";
import { ROOT_STEPS } from "./steps.ts";
import type { StageStore } from "./store.ts";

/** Whether every package of the toolchain is installed here. */
export async function toolchainInstalled(): Promise<boolean> {
  const states = await tryRun(["dpkg-query", "-W", "-f", "${db:Status-Status}\\n", ...PACKAGES]);
  return states?.split("\n").filter((state) => state === "installed").length === PACKAGES.length;
}

/**
 * This system, with the source packages in the cache, and the toolchain. That is installed if it is missing, which needs
 * root, and stays: apt must not be killed with us, and the next build would need it again.
 */
export async function hostBuildRoot(store: StageStore): Promise<BuildRoot> {
  const script = await provisioningScript();
  if (!await toolchainInstalled()) {
    await step(ROOT_STEPS.host.toolchain, async () => {
      await run("installing the toolchain", { argv: ["bash", "-s"], env: provisioningEnv(), input: script });
    });
  }
  const toolchain = await run("dpkg-query", { argv: ["dpkg-query", "-W", ...PACKAGES] });
  const digest = await buildRootDigest({ shape: "host", toolchain });
  const sources = await store.obtain("sources", digest, async (directory) => {
    await step(ROOT_STEPS.host.sources, async () => {
      await run("downloading sources", {
        argv: ["bash", "-s"],
        env: provisioningEnv(directory),
        input: script,
      });
    });
  });
  const workspace = join(store.directory, "workspace");
  const prefix = await isolation();
  return {
    versions: parseVersions(await Deno.readTextFile(join(sources, "versions.txt"))),
    sources,
    workspace: { outside: workspace, inside: workspace },
    command: (argv, env = {}) => {
      const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
      return [...prefix, "env", ...settings, ...argv];
    },
  };
}
