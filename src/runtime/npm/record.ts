/** What is installed, as npm itself records it: in a file beside the packages. It is the guest's: whoever reads it looks twice. */

import * as z from "zod/mini";
import { type FileSystem, FsError } from "../../fs/file_system.ts";
import { NODE_MODULES, NPM_RECORD } from "../../fs/places.ts";
import type { Package } from "./tree.ts";

const MAX_BYTES = 4 * 1024 * 1024;
/** Of paths in the record: they begin with `node_modules`. */
const BASE = NODE_MODULES.slice(0, NODE_MODULES.lastIndexOf("/") + 1);

const dependencies = z.optional(z.record(z.string(), z.string()));
const entry = z.object({
  version: z.string().check(z.maxLength(256)),
  integrity: z.string().check(z.maxLength(200)),
  /** What the registry calls it, if that is not its name. */
  name: z.optional(z.string().check(z.maxLength(214))),
  dependencies,
  optionalDependencies: dependencies,
  peerDependencies: dependencies,
});
const record = z.object({
  packages: z.catchall(
    z.object({ "": z.object({ dependencies: z.record(z.string(), z.string()), brought: dependencies }) }),
    entry,
  ),
});

export interface InstalledPackage {
  readonly path: string;
  /** What the registry calls it. */
  readonly from: string;
  readonly version: string;
  readonly integrity: string;
}

type Ranges = Readonly<Record<string, string>>;
/** A package with what it asks for. */
export interface RecordedPackage extends InstalledPackage {
  readonly dependencies: Ranges;
  readonly optional: Ranges;
  readonly peers: Ranges;
}

export interface InstalledRecord {
  /** What was asked for: ranges by name. */
  readonly wanted: Ranges;
  /** What npx has brought to run it, which nobody wants to keep. */
  readonly brought: Ranges;
  readonly packages: readonly RecordedPackage[];
}

/** Nothing, if there is no record or none that can be read. */
export function readRecord(fs: FileSystem): InstalledRecord {
  const { data } = record.safeParse(contents(fs));
  if (!data) return { wanted: {}, brought: {}, packages: [] };
  const packages = Object.entries(data.packages).flatMap(([path, value]) => {
    const { data: each } = entry.safeParse(value);
    if (!each || !/^node_modules\/(?!.*(^|\/)\.\.?(\/|$))/.test(path)) return [];
    const [, name = ""] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    if (name === "" || !fs.exists(BASE + path)) return [];
    const { version, integrity, dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = each;
    return [{
      path: BASE + path,
      from: each.name ?? name,
      version,
      integrity,
      dependencies,
      optional: optionalDependencies,
      peers: peerDependencies,
    }];
  });
  const { dependencies: wanted, brought = {} } = data.packages[""];
  return { wanted, brought, packages };
}

export function writeRecord(
  fs: FileSystem,
  { wanted, brought }: Pick<InstalledRecord, "wanted" | "brought">,
  packages: readonly Package[],
): void {
  const entries = packages.map(({ path, name, from, version, about }) =>
    [path.slice(BASE.length), {
      version,
      integrity: about.integrity,
      ...(from !== name && { name: from }),
      ...unlessEmpty("dependencies", about.dependencies),
      ...unlessEmpty("optionalDependencies", about.optional),
      ...unlessEmpty("peerDependencies", about.peers),
    }] as const
  );
  const text = JSON.stringify(
    {
      lockfileVersion: 3,
      packages: {
        "": { dependencies: wanted, ...unlessEmpty("brought", brought) },
        ...Object.fromEntries(entries),
      },
    },
    null,
    1,
  );
  fs.writeFile(NPM_RECORD, new TextEncoder().encode(`${text}\n`));
}

function unlessEmpty(name: string, ranges: Ranges): Record<string, Ranges> {
  return Object.keys(ranges).length === 0 ? {} : { [name]: ranges };
}

function contents(fs: FileSystem): unknown {
  try {
    if (!fs.exists(NPM_RECORD) || fs.stat(NPM_RECORD).size > MAX_BYTES) return undefined;
    return JSON.parse(new TextDecoder().decode(fs.readFile(NPM_RECORD)));
  } catch (error) {
    if (error instanceof FsError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
