/** What sessions reach beside their own files, as the configuration says: packages and volumes. */

import type { Settings } from "../config/load.ts";
import {
  builtInNpmDefaults,
  builtInPipDefaults,
  npmOperation,
  packagesMode,
  packagesOperation,
  Shared,
} from "../packages/mod.ts";
import type { SessionTableOptions } from "../session/table.ts";
import { openVolumes } from "../volumes/mod.ts";

type Reach = Required<Pick<SessionTableOptions, "operations" | "mappings" | "packages">>;

export function reachOf(settings: Settings): Reach {
  const volumes = openVolumes(settings.volumes);
  const shared = new Shared(settings.packages);
  return {
    operations: [
      packagesOperation(shared, builtInPipDefaults),
      npmOperation(shared, builtInNpmDefaults),
      ...volumes.operations,
    ],
    mappings: volumes.mappings,
    packages: packagesMode(settings.packages),
  };
}
