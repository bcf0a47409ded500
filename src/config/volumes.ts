/** Directories and files of the host that sessions see: the keys, and whether each can be mapped. */

import * as z from "zod";
import { type ConfigKey, having, type Keys, list } from "./key.ts";
import type { Problems } from "./layer.ts";

const GIB = 1024 ** 3;
export const DEFAULT_VOLUME_BYTES = GIB;
const MAX_VOLUMES = 64;
const MAX_EXTERNAL_FILES = 1000;

/** A directory of the host. */
export interface VolumeSetting {
  readonly host: string;
  /** Below `/data`. */
  readonly name: string;
  readonly writable: boolean;
  /** The most that sessions may add to it while the server runs. */
  readonly maxBytes: number;
  /** Who sees it; null for everyone. */
  readonly principals: readonly string[] | null;
}

/** As configured in mcp.toml. */
export interface VolumeKeys {
  readonly volumes: readonly VolumeSetting[];
  /** Paths. */
  readonly externalFiles: readonly string[];
}

/** The same, checked: everything exists, and the host's paths are absolute and free of symlinks. */
export interface VolumeSettings {
  readonly volumes: readonly VolumeSetting[];
  readonly externalFiles: readonly { readonly name: string; readonly host: string }[];
}

const NAME = /^(?!\.\.?$)[A-Za-z0-9._-]{1,64}$/;
const SANDBOX_PATH = /^\/data\/([^/]+)\/?$/;
const ALLOWED =
  '"/host/directory:/data/name", with ":rw" at the end to let sessions write, or a table with host, path and optionally writable, max_bytes, principals';

const makeItem = () =>
  z.union([
    z.string().transform((text, context) => {
      const found = /^(\/.*?):(\/[^:]*)(?::(ro|rw))?$/.exec(text);
      if (!found) return invalid(context);
      return { host: found[1]!, path: found[2]!, writable: found[3] === "rw" };
    }),
    z.strictObject({
      host: z.string(),
      path: z.string(),
      writable: z.boolean().optional(),
      max_bytes: z.int().min(0).max(2 ** 50).optional(),
      principals: z.array(z.string().min(1).max(200)).max(1000).optional(),
    }),
  ]).transform((found, context): VolumeSetting => {
    const name = SANDBOX_PATH.exec(found.path)?.[1];
    if (name === undefined || !NAME.test(name) || !found.host.startsWith("/") || /\p{Cc}/u.test(found.host)) {
      return invalid(context);
    }
    const { writable = false, max_bytes = DEFAULT_VOLUME_BYTES, principals = null } = found as {
      writable?: boolean;
      max_bytes?: number;
      principals?: string[];
    };
    return { host: found.host, name, writable, maxBytes: max_bytes, principals };
  });

function invalid(context: z.RefinementCtx): never {
  context.addIssue({ code: "custom", message: ALLOWED });
  return z.NEVER;
}

const volumesKey: ConfigKey<readonly VolumeSetting[]> = {
  name: "volumes",
  schema: () =>
    z.array(z.unknown(), `a list of ${ALLOWED}`).max(MAX_VOLUMES, `at most ${MAX_VOLUMES} volumes`)
      .superRefine((items, context) => {
        const item = makeItem();
        for (const [index, value] of items.entries()) {
          if (!item.safeParse(value).success) {
            context.addIssue({ code: "custom", path: [index], message: ALLOWED });
          }
        }
      }),
  parse: (text) => {
    if (!text.trim().startsWith("[")) {
      return text.split(",").map((item) => item.trim()).filter((item) => item !== "");
    }
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  },
  setting: (value: readonly unknown[]) => {
    const item = makeItem();
    return value.map((one) => item.parse(one));
  },
  value: (setting) =>
    setting.map(({ host, name, writable, maxBytes, principals }) => ({
      host,
      path: `/data/${name}`,
      writable,
      max_bytes: maxBytes,
      ...(principals && { principals }),
    })),
};

export const VOLUME_KEYS: Keys<VolumeKeys> = {
  volumes: having({ restart: true }, volumesKey),
  externalFiles: having(
    { restart: true, path: true },
    list("external_files", "paths", (path) => path !== "" && !path.endsWith("/")),
  ),
};

export const DEFAULT_VOLUMES: VolumeKeys = { volumes: [], externalFiles: [] };

/** Mapping these is never intended and never safe: they contain everything, or things that are not files. */
const NEVER = ["/proc", "/sys", "/dev"];

/** Checks everything that is to be mapped; what can't be is added to `problems`. */
export async function checkVolumes(
  { volumes, externalFiles }: VolumeKeys,
  problems: Problems,
): Promise<VolumeSettings> {
  const found: VolumeSetting[] = [];
  for (const volume of volumes) {
    const refuse = (why: string) => problems.add("volumes", `${volume.host} ${why}`);
    const host = await realDirectory(volume.host);
    if (host === undefined) refuse("is not a directory that wasmbox can read");
    else if (host === "/" || NEVER.some((path) => isInside(host, path))) {
      refuse("can't be mapped: it belongs to the system");
    } else if (found.some(({ name }) => name === volume.name)) {
      refuse(`: /data/${volume.name} is mapped twice`);
    } else if (volume.writable && !await mayWrite(host)) {
      refuse("can't be mapped for writing: wasmbox itself may not write there (--allow-write)");
    } else found.push({ ...volume, host });
  }
  for (const [index, one] of found.entries()) {
    for (const other of found.slice(index + 1)) {
      const overlaps = isInside(one.host, other.host) || isInside(other.host, one.host);
      if (overlaps && (one.writable || other.writable)) {
        const problem = `${other.host} and ${one.host} overlap, and sessions may write to one of them`;
        problems.add("volumes", problem);
      }
    }
  }
  return { volumes: found, externalFiles: await findExternal(externalFiles, problems) };
}

async function findExternal(paths: readonly string[], problems: Problems) {
  const found = new Map<string, string>();
  if (paths.length > MAX_EXTERNAL_FILES) {
    problems.add("external_files", `at most ${MAX_EXTERNAL_FILES} files`);
  }
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const host = await realFile(path);
    if (host === undefined) problems.add("external_files", `${path} is not a file that wasmbox can read`);
    else if (found.has(name)) problems.add("external_files", `two files are called ${name}`);
    else found.set(name, host);
  }
  return [...found].map(([name, host]) => ({ name, host }));
}

async function realDirectory(path: string): Promise<string | undefined> {
  try {
    return (await Deno.stat(path)).isDirectory ? await Deno.realPath(path) : undefined;
  } catch {
    return undefined;
  }
}

async function realFile(path: string): Promise<string | undefined> {
  try {
    return (await Deno.stat(path)).isFile ? await Deno.realPath(path) : undefined;
  } catch {
    return undefined;
  }
}

async function mayWrite(path: string): Promise<boolean> {
  return (await Deno.permissions.query({ name: "write", path })).state === "granted";
}

function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}
