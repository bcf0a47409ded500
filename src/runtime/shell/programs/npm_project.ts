/** `package.json` as npm's commands use it: made, told its dependencies, its scripts run, its packages' programs found. */

import * as z from "zod/mini";
import { FsError } from "../../../fs/errors.ts";
import type { FileSystem } from "../../../fs/file_system.ts";
import { NODE_MODULES } from "../../../fs/places.ts";
import { textOf } from "./files.ts";
import { ProgramError } from "./program_error.ts";

/** Longest package.json that is read. */
const MAX_BYTES = 1024 * 1024;
const versions = z.optional(z.record(z.string(), z.string()));
const project = z.looseObject({
  name: z.optional(z.string()),
  version: z.optional(z.string()),
  dependencies: versions,
  devDependencies: versions,
  scripts: z.optional(z.record(z.string(), z.string())),
  bin: z.optional(z.union([z.string(), z.record(z.string(), z.string())])),
});
export type Project = z.infer<typeof project>;
type Json = Readonly<Record<string, unknown>>;

/** @throws {ProgramError} if there is none, or it is none of npm's. */
export function readProject(fs: FileSystem, path: string): Project {
  let text: string;
  try {
    if (fs.stat(path).size > MAX_BYTES) throw new ProgramError(`${path} is too large`);
    text = textOf(fs.readFile(path));
  } catch (error) {
    if (error instanceof FsError) throw new ProgramError(`there is no ${path}: npm init -y makes one`);
    throw error;
  }
  try {
    const found = JSON.parse(text);
    // In the order of the file, which is written again.
    return { ...found, ...project.parse(found) };
  } catch {
    throw new ProgramError(`${path} is not a package.json`);
  }
}

/** What `npm init -y` writes. */
export function newProject(directory: string): Json {
  const name = directory.slice(directory.lastIndexOf("/") + 1).toLowerCase().replace(/[^a-z\d._~-]/g, "-");
  return {
    name: name || "app",
    version: "1.0.0",
    description: "",
    main: "index.js",
    scripts: { test: 'echo "Error: no test specified" && exit 1' },
    keywords: [],
    author: "",
    license: "ISC",
  };
}

export function writeProject(fs: FileSystem, path: string, project: Json): void {
  fs.writeFile(path, new TextEncoder().encode(`${JSON.stringify(project, null, 2)}\n`));
}

/** A project with packages in its dependencies, sorted by name; an exact version is told as a range that begins there. */
export function withDependencies(
  project: Json,
  field: "dependencies" | "devDependencies",
  installed: Readonly<Record<string, string>>,
): Json {
  const before = (project[field] ?? {}) as Readonly<Record<string, string>>;
  const all = Object.entries({ ...before, ...installed }).sort(([a], [b]) => a < b ? -1 : 1);
  return { ...project, [field]: Object.fromEntries(all) };
}

export function withoutDependencies(project: Json, names: readonly string[]): Json {
  const drop = (field: unknown) =>
    Object.fromEntries(Object.entries(field as object).filter(([name]) => !names.includes(name)));
  const fields = ["dependencies", "devDependencies"].filter((field) => project[field] !== undefined);
  return { ...project, ...Object.fromEntries(fields.map((field) => [field, drop(project[field])])) };
}

/** The file of a program that an installed package brings. @returns undefined if none does. */
export function programOf(fs: FileSystem, cwd: string, name: string): string | undefined {
  for (const modules of [`${cwd}/node_modules`, NODE_MODULES]) {
    for (const directory of packagesIn(fs, modules)) {
      const path = `${modules}/${directory}`;
      let found: Project;
      try {
        found = readProject(fs, `${path}/package.json`);
      } catch (error) {
        if (error instanceof ProgramError) continue;
        throw error;
      }
      const { bin } = found;
      const file = typeof bin === "string"
        ? directory.replace(/^.*\//, "") === name ? bin : undefined
        : bin?.[name];
      if (file !== undefined) return `${path}/${file.replace(/^\.\//, "")}`;
    }
  }
  return undefined;
}

function packagesIn(fs: FileSystem, modules: string): string[] {
  const list = (path: string) => fs.exists(path) ? fs.readdir(path).map(({ name }) => name) : [];
  return list(modules).filter((name) => !name.startsWith(".")).flatMap((name) =>
    name.startsWith("@") ? list(`${modules}/${name}`).map((each) => `${name}/${each}`) : [name]
  );
}
