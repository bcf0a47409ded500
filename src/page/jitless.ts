/** Schemas of the client's would try to make code of themselves, which the page's policy forbids, aloud: told before they are made. */

import { config } from "zod/mini";

config({ jitless: true });
