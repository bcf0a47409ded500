/** Packages: everything a server needs so that sessions can install from an index. */

import type { PackagesMode } from "../executor/wire/to_executor.ts";
import type { HostOperation } from "../host_calls/operations.ts";
import type { NpmDefaults, PipDefaults } from "./index/built_in.ts";
import { createBroker } from "./install/broker.ts";
import { createNpmBroker } from "./install/npm_broker.ts";
import type { Shared } from "./install/shared.ts";
import type { PackagesSettings } from "../config/packages_schema.ts";

export { builtInNpmDefaults, builtInPipDefaults } from "./index/built_in.ts";
export { Shared } from "./install/shared.ts";
export { DEFAULT_PACKAGES, type PackagesSettings } from "../config/packages_schema.ts";

/** The operation through which pip installs. @param defaults Called when a guest first wants a package. */
export function packagesOperation(
  shared: Shared,
  defaults: () => Promise<PipDefaults | undefined>,
): HostOperation {
  return createBroker({
    source: onceMade(async () => {
      const { openPipSource } = await import("./install/pip_source.ts"); // its libraries take time, which no start waits for
      return openPipSource(shared, defaults);
    }),
    uses: shared.uses,
    timeoutMs: timeoutOf(shared.settings),
  });
}

/** The operation through which npm packages are installed. @param defaults As in {@link packagesOperation}. */
export function npmOperation(
  shared: Shared,
  defaults: () => Promise<NpmDefaults | undefined>,
): HostOperation {
  return createNpmBroker({
    source: onceMade(async () => {
      const { openNpmSource } = await import("./install/npm_source.ts");
      return openNpmSource(shared, defaults);
    }),
    uses: shared.uses,
    timeoutMs: timeoutOf(shared.settings),
  });
}

/** What sessions are told of packages. */
export function packagesMode({ enabled, installOnImport }: PackagesSettings): PackagesMode {
  if (!enabled) return "off";
  return installOnImport ? "on_import" : "on_request";
}

/** A call may have to wait for others, and to follow redirects. */
function timeoutOf({ downloadTimeoutMs }: PackagesSettings): number {
  return 2 * downloadTimeoutMs;
}

/** Makes something when it is first needed, and again if that failed. */
function onceMade<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
}
