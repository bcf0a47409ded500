/** Entry of the Worker of a session. */

import { serveSession } from "./session_worker.ts";

serveSession();
