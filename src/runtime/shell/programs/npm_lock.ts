/** `package-lock.json`, as npm writes it: what it fixes for an installation, and what has been installed for a project. */

import * as z from "zod/mini";
import type { LockedVersion } from "../../../executor/wire/npm_command.ts";
import { FsError } from "../../../fs/errors.ts";
import type { FileSystem } from "../../../fs/file_system.ts";
import { NODE_MODULES } from "../../../fs/places.ts";
import { readRecord, type RecordedPackage } from "../../npm/record.ts";
import { satisfies, validRange } from "../../npm/semver.ts";
import { textOf } from "./files.ts";
import { ProgramError } from "./program_error.ts";
import { type Project, readProject } from "./npm_project.ts";

const MAX_BYTES = 16 * 1024 * 1024;
const locked = z.object({
  version: z.optional(z.string()),
  integrity: z.optional(z.string()),
  name: z.optional(z.string()),
  link: z.optional(z.boolean()),
});
const lockfile = z.object({
  lockfileVersion: z.number(),
  packages: z.optional(z.record(z.string(), locked)),
});

export interface Lockfile {
  /** By their places in it. */
  readonly versions: ReadonlyMap<string, LockedVersion>;
}

/** @returns undefined if there is none. @throws {ProgramError} if it can't be used. */
export function readLock(fs: FileSystem, path: string): Lockfile | undefined {
  if (!fs.exists(path)) return undefined;
  const { data } = lockfile.safeParse(contents(fs, path));
  if (!data) throw new ProgramError(`${path} is no lockfile of npm's`);
  const { packages, lockfileVersion } = data;
  if (!packages) {
    throw new ProgramError(
      `${path} is of lockfileVersion ${lockfileVersion}, which names no packages by their places: without it, npm install writes a new one`,
    );
  }
  const versions = new Map<string, LockedVersion>();
  for (const [place, { version, integrity, name, link }] of Object.entries(packages)) {
    if (place === "" || version === undefined) continue;
    if (link || !place.includes("node_modules/")) {
      throw new ProgramError(`${path} has the workspace ${place}: packages come from the registry only`);
    }
    versions.set(place, { from: name ?? nameAt(place), version, integrity });
  }
  return { versions };
}

/** What `npm ci` wants to know first. @throws {ProgramError} if the project asks for what its lockfile does not have. */
export function checkInSync(wanted: Readonly<Record<string, string>>, { versions }: Lockfile): void {
  const wrong = Object.entries(wanted).flatMap(([name, spec]) => {
    const found = versions.get(`node_modules/${name}`);
    if (!found) return [`Missing: ${name}@${spec} from lock file`];
    const range = validRange(spec.replace(/^npm:@?[^@]+@?/, "") || "*");
    if (range === null || satisfies(found.version, range)) return [];
    return [`Invalid: lock file's ${name}@${found.version} does not satisfy ${name}@${spec}`];
  });
  if (wrong.length === 0) return;
  throw new ProgramError(
    `package.json and package-lock.json are not in sync: npm install writes it anew.\n${wrong.join("\n")}`,
  );
}

/** Writes what has been installed for a project beside its package.json. */
export function writeLock(fs: FileSystem, path: string, project: Project): void {
  const { name, version } = project;
  const root = {
    ...present({ name, version, license: project["license"] }),
    ...present({ dependencies: project.dependencies, devDependencies: project.devDependencies }),
  };
  const places = placesOf(fs, project);
  const packages = { "": root, ...Object.fromEntries(places) };
  const text = JSON.stringify(
    { ...present({ name, version }), lockfileVersion: 3, requires: true, packages },
    null,
    2,
  );
  fs.writeFile(path, new TextEncoder().encode(`${text}\n`));
}

type Json = Record<string, unknown>;

/** What the project needs of what is installed, by its places. */
function placesOf(fs: FileSystem, { dependencies = {}, devDependencies = {} }: Project): [string, Json][] {
  const installed = new Map(readRecord(fs).packages.map((each) => [each.path, each]));
  const reach = (wanted: Readonly<Record<string, string>>, follows: boolean) =>
    reachable(installed, Object.keys(wanted), follows);
  const [always, sometimes] = [reach(dependencies, false), reach(dependencies, true)];
  const [developing, alsoDeveloping] = [reach(devDependencies, false), reach(devDependencies, true)];
  const places = [...new Set([...sometimes, ...alsoDeveloping])].sort((a, b) =>
    a.path.localeCompare(b.path, "en")
  );
  return places.map((each) => {
    const dev = !sometimes.has(each);
    const optional = !always.has(each) && !developing.has(each);
    const devOptional = !dev && !always.has(each) && developing.has(each);
    const name = nameAt(each.path);
    return [each.path.slice(NODE_MODULES.length - "node_modules".length), {
      ...(each.from !== name && { name: each.from }),
      version: each.version,
      integrity: each.integrity,
      ...(dev && { dev }),
      ...(devOptional && { devOptional }),
      ...(optional && { optional }),
      ...described(fs, each, name),
    }];
  });
}

function reachable(
  installed: ReadonlyMap<string, RecordedPackage>,
  names: readonly string[],
  followsOptional: boolean,
): Set<RecordedPackage> {
  const found = new Set<RecordedPackage>();
  const see = (from: string, name: string) => {
    for (let at = from;; at = at.slice(0, at.lastIndexOf("/node_modules/"))) {
      const each = installed.get(`${at}/node_modules/${name}`);
      if (each) return found.add(each);
      if (!at.includes("/node_modules/")) return;
    }
  };
  const top = NODE_MODULES.slice(0, -"/node_modules".length);
  for (const name of names) see(top, name);
  for (const { path, dependencies, optional, peers } of found) {
    const wanted = { ...dependencies, ...peers, ...(followsOptional && optional) };
    for (const name of Object.keys(wanted)) see(path, name);
  }
  return found;
}

/** What a lockfile repeats of a package, in npm's order. */
function described(fs: FileSystem, each: RecordedPackage, name: string): Json {
  const { license, bin, engines } = projectAt(fs, each.path);
  const programs = typeof bin === "string" ? { [name.replace(/^@[^/]+\//, "")]: bin } : bin;
  return {
    ...(typeof license === "string" && { license }),
    ...unlessEmpty({
      dependencies: each.dependencies,
      bin: programs ?? {},
      engines: typeof engines === "object" && engines !== null ? engines : {},
      optionalDependencies: each.optional,
      peerDependencies: each.peers,
    }),
  };
}

/** Nothing, if it can't be read. */
function projectAt(fs: FileSystem, directory: string): Project {
  try {
    return readProject(fs, `${directory}/package.json`);
  } catch (error) {
    if (error instanceof ProgramError) return {};
    throw error;
  }
}

function nameAt(place: string): string {
  return place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
}

function present(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function unlessEmpty(fields: Readonly<Record<string, object>>): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => Object.keys(value).length > 0));
}

function contents(fs: FileSystem, path: string): unknown {
  try {
    if (fs.stat(path).size > MAX_BYTES) throw new ProgramError(`${path} is too large`);
    return JSON.parse(textOf(fs.readFile(path)));
  } catch (error) {
    if (error instanceof FsError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
