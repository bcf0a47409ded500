/**
 * Writes docs/measured/BUNDLED_PACKAGES.md: from the manifest, with what importing each costs,
 * measured through the real server in sessions that have run something before. Needs the permissions of `deno task bench`.
 */

import { writeMeasured } from "./measured.ts";
import { TestServer } from "../tests/support/harness.ts";
import { type BundledPackage, ensureAssets } from "./assets/mod.ts";

const SESSIONS = 7;
/** What is worth measuring of packages that are empty by themselves. */
const MEASURED: Readonly<Record<string, string>> = {
  dateutil: "dateutil.parser",
  odf: "odf.opendocument",
  pdfminer: "pdfminer.high_level",
};

interface Cost {
  readonly ms: number;
  /** Metered work, which is the same everywhere. */
  readonly fuel: number;
  readonly bytes: number;
}

/** What the script needs of a reply. */
type Reply = {
  readonly execution_time_ms: number;
  readonly fuel_consumed: number;
  readonly memory_bytes: number;
};

/** Of the first import of a module in a session, in an executor that has imported it before: the fastest of several. */
async function costOf(server: TestServer, module: string): Promise<Cost> {
  const costs: Cost[] = [];
  for (let i = 0; i <= SESSIONS; i++) {
    const session_id = `session${i}`;
    const before = await server.python("1", { session_id });
    const { structured } = await server.call("execute_code", { code: `import ${module}`, session_id });
    const { execution_time_ms: ms, fuel_consumed: fuel, memory_bytes } = structured as unknown as Reply;
    costs.push({ ms, fuel, bytes: memory_bytes - before.memory_bytes });
    await server.call("destroy_session", { session_id });
  }
  return costs.slice(1).reduce((best, cost) => cost.ms < best.ms ? cost : best);
}

function describe({ name, version, imports, licence, summary, note, source }: BundledPackage): string {
  const about = `${summary.replace(/\.$/, "")}${note ? `; ${note}` : ""}`;
  const from = source.startsWith("Debian") ? source : "the index, by SHA-256";
  return line([name, version, imports.map((module) => `\`${module}\``).join(", "), about, licence, from]);
}

function costs(module: string, { ms, fuel, bytes }: Cost): string {
  const heap = `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  return line([`\`import ${module}\``, `${ms.toFixed(0)} ms`, `${(fuel / 1e6).toFixed(1)} M`, heap]);
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ").replaceAll("\n", " ")} |`;
}

const { packages, leftOut } = await ensureAssets();
await using server = await TestServer.start();
const measured: { readonly module: string; readonly cost: Cost }[] = [];
for (const { imports: [name = ""] } of packages) {
  const module = MEASURED[name] ?? name;
  measured.push({ module, cost: await costOf(server, module) });
}
measured.sort((a, b) => b.cost.fuel - a.cost.fuel);
const table = [
  line(["package", "version", "import", "what it is", "licence", "from"]),
  line(Array(6).fill("---")),
  ...packages.map(describe),
  ...leftOut.map((name) => line([name, "", "", "left out: its wheel could not be downloaded", "", ""])),
  "",
  line(["", "time", "fuel", "heap"]),
  line(Array(4).fill("---")),
  ...measured.map(({ module, cost }) => costs(module, cost)),
].join("\n");
await writeMeasured("BUNDLED_PACKAGES", "scripts/bundled_packages.ts", table);
