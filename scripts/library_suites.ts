/**
 * Runs the test suites of well-known libraries in sessions and writes what came of it into docs/measured/LIBRARY_SUITES.md,
 * or SCIENCE_SUITES.md with `--science`: beside what a native CPython makes of it, where `--native COMMAND` names one that
 * has the same versions of the libraries. Other arguments: libraries to try, instead of all, which writes nothing.
 *
 * `--results DIRECTORY` keeps what came of each file: what is there is not run again. With `--kept`, nothing is: the tables
 * are of what is there.
 */

import { parseArgs } from "node:util";
import { TestServer } from "../tests/support/harness.ts";
import { libraryTests } from "./assets/library_tests.ts";
import { scienceTests } from "./assets/science_tests.ts";
import { writeMeasured } from "./measured.ts";
import { sourceCommand } from "./source_command.ts";
import { batchesOf, LIBRARIES, type Library, SCIENCE } from "./suites/libraries.ts";
import { Results } from "./suites/results.ts";
import { LibrarySession, MOUNTED, natively, PATIENCE_MS } from "./suites/run.ts";
import { type Row, tablesByDirectory, tablesByFile, tell } from "./suites/tables.ts";

const SUITES = {
  LIBRARY_SUITES: { libraries: LIBRARIES, tests: libraryTests, tables: tablesByFile },
  SCIENCE_SUITES: { libraries: SCIENCE, tests: scienceTests, tables: tablesByDirectory },
} as const;
/** What numpy's largest tests ask for. */
const MEMORY_BYTES = 1024 ** 3;

async function keptRows(results: Results, suites: string, library: Library): Promise<Row[]> {
  const rows: Row[] = [];
  for (const file of batchesOf(suites, library).flat()) {
    const here = await results.kept("here", library, file);
    const there = await results.kept("there", library, file);
    if (here) rows.push({ library, file, here, there });
  }
  return rows;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      native: { type: "string" },
      science: { type: "boolean" },
      results: { type: "string" },
      kept: { type: "boolean" },
      jobs: { type: "string", default: `${navigator.hardwareConcurrency}` },
    },
    allowPositionals: true,
  });
  const name = values.science ? "SCIENCE_SUITES" : "LIBRARY_SUITES";
  const { libraries, tests, tables } = SUITES[name];
  const suites = await tests();
  const results = new Results(values.results);
  if (values.kept) {
    const before = (await Promise.all(libraries.map((library) => keptRows(results, suites, library)))).flat();
    return await writeMeasured(name, "scripts/library_suites.ts", tables(before));
  }
  Deno.env.set("WASMBOX_POLICY_MAX_TIMEOUT_SECONDS", `${PATIENCE_MS / 1000}`);
  if (values.science) Deno.env.set("WASMBOX_POLICY_MEMORY_BYTES", `${MEMORY_BYTES}`);
  await using server = await TestServer.start(sourceCommand("--volume", `${suites}:${MOUNTED}`));
  const wanted = libraries.filter(({ name, module }) =>
    positionals.length === 0 || positionals.some((each) => each === name || each === module)
  );
  const rows: Row[] = [];
  for (const library of wanted) {
    const native = values.native === undefined ? undefined : natively(values.native, suites, library);
    const queue = batchesOf(suites, library);
    const order = queue.flat();
    const own: Row[] = [];
    const work = async (id: number): Promise<void> => {
      await using session = new LibrarySession(server, library, id);
      await session.prepare();
      for (let files = queue.shift(); files; files = queue.shift()) {
        const here = await results.obtain("here", library, files, session.run);
        const there = native && await results.obtain("there", library, files, native);
        files.forEach((file, i) => {
          own.push({ library, file, here: here[i]!, there: there?.[i] });
          tell(own.at(-1)!);
        });
      }
    };
    await Promise.all(Array.from({ length: Number(values.jobs) }, (_, id) => work(id)));
    rows.push(...own.sort((a, b) => order.indexOf(a.file) - order.indexOf(b.file)));
  }
  if (positionals.length === 0) await writeMeasured(name, "scripts/library_suites.ts", tables(rows));
}

await main();
