/**
 * Uses the 100 packages of python_packages.ts, each in a fresh session into which nothing was installed, from the index
 * that is configured here, and writes what came of it into docs/measured/PYTHON_PACKAGES.md. Arguments: names of packages
 * to try, instead of all, which writes nothing.
 */

import { TestServer } from "../tests/support/harness.ts";
import { writeMeasured } from "./measured.ts";
import { sourceCommand } from "./source_command.ts";
import { USES } from "./python_packages.ts";

/** The largest has 14 MB and two thousand files, and this may be a busy machine. */
const PATIENCE_MS = 300_000;

interface Row {
  readonly name: string;
  readonly works: boolean;
  /** What was installed for it, or why it does not work. */
  readonly note: string;
}

async function tryPackage(server: TestServer, name: string): Promise<Row> {
  const session = { session_id: `try-${name}` };
  try {
    const { structuredContent } = await server.client.callTool({
      name: "execute_code",
      arguments: { code: USES[name], timeout: PATIENCE_MS / 1000, ...session },
    }, { timeout: 2 * PATIENCE_MS });
    const { status, result, notice, error } = structuredContent as {
      status: string;
      result?: string | null;
      notice?: string | null;
      error?: { type?: string; message: string } | null;
    };
    const works = status === "completed" && result === "True";
    const failure = error ? `${error.type ?? ""}: ${error.message}` : `the result was ${result}`;
    return { name, works, note: oneLine(works ? notice ?? "bundled" : failure) };
  } finally {
    await server.call("destroy_session", session);
  }
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").slice(0, 200);

async function main(): Promise<void> {
  await using server = await TestServer.start(sourceCommand());
  const names = Deno.args.length > 0 ? Deno.args : Object.keys(USES);
  const rows: Row[] = [];
  for (const name of names) {
    const row = await tryPackage(server, name);
    rows.push(row);
    console.error(`${rows.length}/${names.length} ${row.works ? "works" : "FAILS"} ${name}: ${row.note}`);
  }
  const works = rows.filter((row) => row.works).length;
  console.error(`${works} of ${rows.length}`);
  if (Deno.args.length > 0) return;
  const table = [
    `${works} of ${rows.length} do what they are asked, in a session into which nothing was installed before.`,
    "",
    "| package | works | |",
    "| --- | --- | --- |",
    ...rows.map(({ name, works, note }) => `| ${name} | ${works ? "yes" : "**no**"} | ${note} |`),
  ].join("\n");
  await writeMeasured("PYTHON_PACKAGES", "scripts/packages_table.ts", table);
}

await main();
