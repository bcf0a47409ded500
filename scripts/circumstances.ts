/** In what circumstances something was measured. */

import { fileURLToPath } from "node:url";
import { procFile } from "../tests/support/harness.ts";
import { tryRun } from "./assets/process.ts";

/** When it was, of which commit, and on what, as a sentence. */
export async function circumstances(): Promise<string> {
  const cpuinfo = procFile("cpuinfo");
  const model = /^model name\s*:\s*(.*)$/m.exec(cpuinfo)?.[1] ?? Deno.build.arch;
  const cores = cpuinfo.match(/^processor/gm)?.length ?? 0;
  const memory = Number(/^MemTotal:\s+(\d+)/.exec(procFile("meminfo"))?.[1]) / 1024 ** 2;
  const load = procFile("loadavg").split(" ")[0];
  const root = fileURLToPath(new URL("../", import.meta.url));
  const commit = (await tryRun(["git", "-C", root, "rev-parse", "--short", "HEAD"]))?.trim() ?? "unknown";
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, commit ${commit}, ${cores} processors (${model}, ${Deno.build.arch}), ${
    memory.toFixed(0)
  } GiB, Deno ${Deno.version.deno}, load ${load} at the end.`;
}
