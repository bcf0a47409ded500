/** Entry of the Worker of a session that has not asked for a shell. */

import { serveSession } from "./session_worker.ts";

serveSession();
