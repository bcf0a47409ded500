/** A mapping as the server knows it. */

import type { Mapping } from "../host_calls/volume.ts";

/** A mapping, with what no guest gets to know. */
export interface HostMapping extends Mapping {
  /** Null for `/external`, whose files come from many directories. */
  readonly hostPath: string | null;
}
