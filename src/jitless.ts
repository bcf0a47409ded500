/**
 * Zod makes code of schemas, or tries to, which the page's policy and an executable's V8 forbid. The attempt ends in an
 * error, whose trace has V8 read all of the bundle again that is being evaluated: 12 ms of a server's start. To be imported
 * before anything that has a schema.
 */

import { config } from "zod/mini";

config({ jitless: true });
