/** Which shape of build root this system allows for. */

import type { BuildRoot } from "./build_root.ts";
import { canMakeDevices, chrootBuildRoot } from "./chroot.ts";
import { containerBuildRoot, findEngine } from "./container.ts";
import { AssetsError } from "./errors.ts";
import { hostBuildRoot, toolchainInstalled } from "./host.ts";
import { SUITE } from "./recipe.ts";
import { ROOT_STEPS, type Step } from "./steps.ts";
import type { StageStore } from "./store.ts";

/** Name and release of this system, as far as it says. */
async function thisSystem(): Promise<{ id: string; codename: string }> {
  const release = await Deno.readTextFile("/etc/os-release").catch(() => "");
  const field = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, "m").exec(release)?.[1];
  return { id: field("ID") ?? Deno.build.os, codename: field("VERSION_CODENAME") ?? "" };
}

/** A way to a build root. */
interface Choice {
  /** What making it takes. */
  readonly steps: readonly Step[];
  /** The build root; it is made if the cache has none. @throws {AssetsError} if that failed. */
  obtain(store: StageStore): Promise<BuildRoot>;
}

/**
 * The build root to be used here.
 *
 * @throws {AssetsError} if this system has no way to one.
 */
export async function chooseBuildRoot(): Promise<Choice> {
  const { id, codename } = await thisSystem();
  const superuser = Deno.build.os !== "windows" && Deno.uid() === 0;
  const host = { steps: Object.values(ROOT_STEPS.host), obtain: hostBuildRoot };
  if (id === "debian") {
    const right = codename === SUITE;
    if (right && await toolchainInstalled()) return host;
    if (superuser && await canMakeDevices()) {
      return { steps: Object.values(ROOT_STEPS.chroot), obtain: chrootBuildRoot };
    }
    if (superuser && right) return host;
  }
  const engine = await findEngine();
  if (engine) {
    return {
      steps: Object.values(ROOT_STEPS.container),
      obtain: (store) => containerBuildRoot(store, engine),
    };
  }
  const user = superuser ? "root without the right to make device files" : "not root";
  throw new AssetsError(
    "CPython is built on Debian as root, or in a container: this is " +
      `${
        [id, codename, ...id === "debian" ? [user] : []].join(" ").trim()
      }, and no docker or podman engine answers`,
  );
}
