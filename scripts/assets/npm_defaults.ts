/** What npm does that has no configuration, as a package tells that reads npm's configuration for a living. */

import npmConf from "@pnpm/npm-conf/lib/defaults.js";
import * as z from "zod";

const conf = z.object({ defaults: z.object({ registry: z.url() }) });

export interface NpmDefaults {
  /** URL of the registry. */
  readonly registry: string;
}

export function npmDefaults(): NpmDefaults {
  const { registry } = conf.parse({ defaults: npmConf.defaults }).defaults;
  return { registry };
}
