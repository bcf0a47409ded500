/** The package for npm: `npx -y wasmbox`. */

import { VERSION } from "../../src/version.ts";
import { run } from "../assets/process.ts";
import { DENO_OPTIONS, DENO_VERSION, filled, HOMEPAGE_TEXT, inRoot } from "./program.ts";

/** @param staged Directory with `program` in it, which this may add to. @returns The file's path. */
export async function packNpm(staged: string, output: string): Promise<string> {
  const manifest = {
    name: "wasmbox",
    version: VERSION,
    description: HOMEPAGE_TEXT,
    license: "MIT",
    bin: { wasmbox: "wasmbox.cjs" },
    files: ["wasmbox.cjs", "program"],
    engines: { node: ">=18" },
    dependencies: { deno: DENO_VERSION },
  };
  await Deno.writeTextFile(`${staged}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
  const launcher = await filled("launcher.cjs", { OPTIONS: DENO_OPTIONS, VERSION });
  await Deno.writeTextFile(`${staged}/wasmbox.cjs`, launcher, { mode: 0o755 });
  for (const name of ["LICENSE", "README.md"]) await Deno.copyFile(inRoot(name), `${staged}/${name}`);
  const path = `${output}/wasmbox-${VERSION}.tgz`;
  // The same files make the same bytes, wherever and whenever.
  const argv = [
    "tar",
    "--create",
    "--gzip",
    `--file=${path}`,
    "--sort=name",
    "--mtime=1985-10-26T08:15:00Z", // as npm has it
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--mode=u+rw,go+r-w,a+X",
    "--transform=s,^\\.,package,",
    `--directory=${staged}`,
    "./package.json",
    "./wasmbox.cjs",
    "./LICENSE",
    "./README.md",
    "./program",
  ];
  await run("packing for npm", { argv, env: { GZIP: "-n" } });
  return path;
}
