/** The front door of a server on HTTP, attacked from outside. */

import { family } from "../attack.ts";
import { HTTP_BYTES } from "./http_bytes.ts";
import { HTTP_CALLERS } from "./http_callers.ts";
import { HTTP_PLACES } from "./http_places.ts";

export const HTTP = family("http", [...HTTP_CALLERS, ...HTTP_BYTES, ...HTTP_PLACES]);
