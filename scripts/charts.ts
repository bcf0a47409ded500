/** Charts of documents, drawn by matplotlib where it is at home: in a session of wasmbox. */

import { fileURLToPath } from "node:url";
import { type Command, TestServer } from "../tests/support/harness.ts";

const PICTURES = new URL("../docs/pictures/", import.meta.url);
/** Most that one call of read_file gives. */
const PART_BYTES = 1024 * 1024;

/** A chart: a file in docs/pictures, what is in it, and the program that draws `data` and leaves a figure open. */
export interface Chart {
  readonly file: `${string}.svg`;
  readonly data: unknown;
  readonly program: string;
}

/** Text stays text, and the same data give the same bytes. */
const BEFORE = (data: unknown) =>
  `import json
import matplotlib
import matplotlib.pyplot as plt
matplotlib.rcParams["svg.fonttype"] = "none"
matplotlib.rcParams["svg.hashsalt"] = "wasmbox"
plt.close("all")
data = json.loads(${JSON.stringify(JSON.stringify(data))})
`;
const AFTER = `
plt.savefig("chart.svg", bbox_inches="tight", metadata={"Date": None})
plt.close("all")
`;

async function readWhole(server: TestServer, path: string): Promise<string> {
  const parts: string[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const { structured, isError, text } = await server.call("read_file", {
      path,
      offset,
      max_bytes: PART_BYTES,
    });
    if (isError) throw new Error(text);
    parts.push(structured["content"] as string);
    offset = (structured["next_offset"] ?? null) as number | null;
  }
  return parts.join("");
}

/**
 * Draws charts into docs/pictures.
 *
 * @returns Whether it could: a build without science has no matplotlib, and older charts stay.
 */
export async function drawCharts(charts: readonly Chart[], command?: Command): Promise<boolean> {
  await using server = await TestServer.start(command);
  const { status } = await server.python("import matplotlib", { timeout: 120 });
  if (status !== "completed") return false;
  for (const { file, data, program } of charts) {
    const reply = await server.python(BEFORE(data) + program + AFTER, { timeout: 120 });
    if (reply.status !== "completed") throw new Error(`${file}: ${reply.stderr} ${reply.error?.message}`);
    const svg = await readWhole(server, "chart.svg");
    await Deno.writeTextFile(fileURLToPath(new URL(file, PICTURES)), svg.replaceAll(/[ \t]+$/gm, ""));
  }
  return true;
}
