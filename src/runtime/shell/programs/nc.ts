/** `nc`: asks whether somebody listens at a port of the session's (`-z`), or talks to who does. */

import { GrowingBytes } from "../../../bytes.ts";
import type { Steps } from "../../steps.ts";
import { ANSWER_MAX_BYTES } from "./http_exchange.ts";
import { parseOptions } from "./options.ts";
import { clockFor } from "./process.ts";
import type { ProgramOutput, SpawnRequest, Surroundings } from "./program.ts";
import { ProgramError } from "./program_error.ts";
import { isLocal, urlOf } from "./urls.ts";

const FLAGS = [..."zvnN46tlku"];
const VALUED = [..."wqi"];
const LOOK_MS = 2;
const PIECE_BYTES = 256 * 1024;

export function* nc(surroundings: Surroundings, request: SpawnRequest): Steps<ProgramOutput> {
  const options = parseOptions(request.args, { flags: FLAGS, valued: VALUED });
  if (options.has("l", "u", "k")) {
    throw new ProgramError("it only asks servers here; Python's socket or Node's net listen at a port");
  }
  const [host = "", port = ""] = options.operands;
  const url = urlOf(`${host.includes(":") ? `[${host}]` : host}:${port}`);
  if (!url || !/^\d+$/.test(port)) throw new ProgramError("give a host and the number of a port");
  if (!isLocal(url)) {
    throw new ProgramError(`getaddrinfo for host "${host}" port ${port}: there is no network here`);
  }
  const idle = options.value("w");
  if (idle !== undefined && !/^\d+$/.test(idle)) throw new ProgramError(`timeout invalid: ${idle}`);
  const connection = surroundings.host.loopback?.connect(Number(port));
  const told = (text: string) => options.has("v") ? { stderr: text } : {};
  if (!connection) {
    return {
      ...told(`nc: connect to ${host} port ${port} (tcp) failed: Connection refused\n`),
      exitCode: 1,
    };
  }
  const connected = told(`Connection to ${host} ${port} port [tcp/*] succeeded!\n`);
  try {
    if (options.has("z")) return { ...connected, exitCode: 0 };
    const clock = clockFor(surroundings, request);
    const look = { ms: LOOK_MS, clock };
    const idleMs = Number(idle ?? Infinity) * 1000;
    const given = yield* request.stdin.allInSteps();
    for (let at = 0; at < given.length;) {
      const taken = connection.write(given.subarray(at));
      if (taken === "gone") break;
      at += taken;
      if (taken === 0 && (yield look) !== 0) break;
    }
    connection.end();
    const answer = new GrowingBytes();
    let begun = clock.elapsed;
    for (;;) {
      const read = connection.read(PIECE_BYTES);
      if (read === "end") break;
      if (typeof read !== "string") {
        answer.push(read);
        begun = clock.elapsed;
        if (answer.length > ANSWER_MAX_BYTES) {
          throw new ProgramError(`more came than ${ANSWER_MAX_BYTES >> 20} MiB`);
        }
      } else if (Number(clock.elapsed - begun) / 1e6 > idleMs || (yield look) !== 0) break;
    }
    return { ...connected, stdout: answer.view };
  } finally {
    connection.close();
  }
}
