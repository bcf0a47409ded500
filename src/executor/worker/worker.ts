/** Entry of a Worker. */

import { serveSessions } from "./serve.ts";

serveSessions();
