/** Mapped directories of the host: leaving them, changing what is read-only or another's, filling the disk. */

import { family } from "../attack.ts";
import { VOLUME_BOUNDS } from "./volumes_bounds.ts";
import { FORGED_VOLUME_CALLS } from "./volumes_forged.ts";
import { VOLUME_LINKS } from "./volumes_links.ts";

export const VOLUMES = family("volumes", [...VOLUME_LINKS, ...FORGED_VOLUME_CALLS, ...VOLUME_BOUNDS]);
