/** What installing a package costs, with an index on loopback: the network is not ours. */

import { serverCommand, TestServer } from "../../tests/support/harness.ts";
import { LocalIndex } from "../../tests/support/packages/local_index.ts";
import { makeWheel, type Wheel } from "../../tests/support/packages/wheel.ts";
import { type Row, sample, timed } from "./stats.ts";

const RUNS = 7;

/** As many modules of as much source as jinja2, which is bundled and would not be fetched; its dependency is bundled. */
async function likeJinja2(): Promise<Wheel> {
  const functions = Array.from(
    { length: 100 },
    (_, number) =>
      `def f${number}(a, b=1, *rest, **more):\n    return [a, b, ${number}] if a else more.get("x")\n`,
  ).join("\n");
  const modules = Object.fromEntries(
    Array.from(
      { length: 25 },
      (_, number) => [`likejinja/${number === 0 ? "__init__" : `m${number}`}.py`, functions],
    ),
  );
  modules["likejinja/all.py"] = Array.from({ length: 24 }, (_, number) => `from . import m${number + 1}`)
    .join("\n");
  return await makeWheel("likejinja", "1.0", { modules, requires: ["MarkupSafe>=2.0"] });
}

/** A server whose cache is a directory. */
async function start(directory: string, index: LocalIndex): Promise<TestServer> {
  const policy = await Deno.makeTempFile({ dir: directory, suffix: ".toml" });
  await Deno.writeTextFile(
    policy,
    `[packages]\nindex_url = "${index.url}"\ncache_directory = "${await Deno.makeTempDir({
      dir: directory,
    })}"\n`,
  );
  const { command, args } = serverCommand();
  const main = args.pop();
  const allowed = main === undefined ? [] : ["--allow-net", "--allow-write", main];
  return await TestServer.start({ command, args: [...args, ...allowed, "serve", "--policy", policy] });
}

/** Installs in a session of that name. @returns Milliseconds. */
function install(server: TestServer, session_id: string): Promise<number> {
  return timed(async () => {
    const { isError, text } = await server.call("install_package", { package_name: "likejinja", session_id });
    if (isError) throw new Error(text);
  });
}

export async function packages(): Promise<Row[]> {
  const directory = await Deno.makeTempDir();
  await using index = new LocalIndex();
  index.add("likejinja", await likeJinja2());
  const cold: number[] = [];
  const warm: number[] = [];
  const imported: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    await using server = await start(directory, index);
    await server.python("1", { session_id: "cold" });
    cold.push(await install(server, "cold"));
    await server.python("1", { session_id: "warm" });
    warm.push(await install(server, "warm"));
    imported.push(await timed(() => server.python("import likejinja.all", { session_id: "warm" })));
  }
  await Deno.remove(directory, { recursive: true });
  const what = "install_package of a wheel like jinja2's (25 modules, 230 kB, a bundled dependency)";
  return [
    { what: `${what}: first of a server, nothing cached`, value: sample(cold), unit: "ms" },
    { what: "… cached, in another session", value: sample(warm), unit: "ms", goal: 1500 },
    { what: "… its first import there", value: sample(imported), unit: "ms" },
  ];
}
