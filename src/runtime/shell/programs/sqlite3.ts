/** `sqlite3`: its command line over the SQLite that Python has. */

import type { Steps } from "../../steps.ts";
import type { ProgramOutput, SpawnRequest, Surroundings } from "./program.ts";
import { python } from "./python.ts";
import { SQLITE3 } from "./sqlite3_program.ts";

export function sqlite3(surroundings: Surroundings, request: SpawnRequest): Steps<ProgramOutput> {
  return python(surroundings, { ...request, args: ["-c", SQLITE3, ...request.args] });
}
