/** Entry of the Worker of a session that uses the shell: it takes more memory and loads longer than the other. */

import { createShellRuntime } from "../../runtime/shell/shell.ts";
import { serveSession } from "./session_worker.ts";

serveSession(createShellRuntime);
