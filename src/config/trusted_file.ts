/**
 * Whether nobody else can decide what a configuration file says.
 *
 * Whoever can write it, or rename a directory or a link on the way to it, decides what the server may do: every step of
 * the way is looked at, as ssh does with its own files.
 */

import { ConfigError } from "./error.ts";
import { isAbsolute } from "./paths.ts";

const MAX_LINKS = 40;
const WRITABLE_BY_GROUP = 0o020;
const WRITABLE_BY_ALL = 0o002;
/** In such a directory only the owner of an entry can rename or remove it. */
const STICKY = 0o1000;
/** The group of macOS whose members may become root. */
const MACOS_ADMIN = 80;

/** A directory, a link or the file itself. */
interface Step {
  readonly path: string;
  readonly info: Deno.FileInfo;
  /** Where it lies. */
  readonly directory: string;
}

/**
 * Looks at owners and modes. Access control lists can't be read; on Windows, which has nothing else, nothing is checked.
 *
 * @throws {ConfigError} if someone other than this process's user and root can change the file.
 * @throws {Deno.errors.NotFound} if there is no such file; other errors of Deno's if one can't look.
 */
export function assertTrusted(path: string): void {
  if (Deno.build.os === "windows") return;
  if (/^\/dev\/fd\/\d+$/.test(path)) return; // whoever started this process opened it
  const user = Deno.uid();
  // Whoever owns the root directory can replace all the rest. In a user namespace that need not be user 0.
  const trusted = new Set([0, user, Deno.lstatSync("/").uid]);
  for (const step of stepsTo(path)) {
    const { uid, mode } = step.info;
    const at = step.path === path ? "it" : step.path;
    const shown = `mode ${octal(mode)}`;
    if (!trusted.has(uid)) {
      refuse(
        step,
        `${path}: not read, because user ${uid} owns ${at} (${shown}) and could change what it says; wasmbox runs as ` +
          `user ${user}. Make ${at} your own (chown), or mount it read-only.`,
      );
    } else if (othersCanWrite(step.info)) {
      const who = (mode ?? 0) & WRITABLE_BY_ALL ? "everyone" : `group ${step.info.gid}`;
      refuse(
        step,
        `${path}: not read, because ${who} can write to ${at} (${shown}). Run "chmod go-w" on ` +
          `${step.path === path ? "the file" : at}, or mount it read-only.`,
      );
    }
  }
}

/** What is met on the way to a file, from the root directory on: every directory, every link, and the file. */
function* stepsTo(path: string): Generator<Step> {
  const absolute = isAbsolute(path) ? path : `${Deno.cwd()}/${path}`;
  yield { path: "/", info: Deno.lstatSync("/"), directory: "/" };
  let directory = "";
  let links = 0;
  const rest = absolute.split("/");
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      directory = directory.slice(0, Math.max(0, directory.lastIndexOf("/")));
      continue;
    }
    const next = `${directory}/${name}`;
    const info = Deno.lstatSync(next);
    yield { path: next, info, directory: directory || "/" };
    if (!info.isSymlink) {
      directory = next;
      continue;
    }
    if (++links > MAX_LINKS) throw new ConfigError(`${path}: there are too many links on the way to it`);
    const target = Deno.readLinkSync(next);
    if (target.startsWith("/")) directory = "";
    rest.unshift(...target.split("/"));
  }
}

function othersCanWrite({ isSymlink, isDirectory, mode, uid, gid }: Deno.FileInfo): boolean {
  if (isSymlink || mode === null) return false; // a link has the rights of its directory
  if (isDirectory && mode & STICKY) return false; // each entry's own owner is looked at
  if (mode & WRITABLE_BY_ALL) return true;
  return (mode & WRITABLE_BY_GROUP) !== 0 && !isHarmless(gid ?? 0, uid ?? 0);
}

/**
 * Whether a group gives its members nothing new: they are root's, or there is nobody but the owner in it. Many systems
 * give each user such a group, and make what the user creates writable by it.
 */
function isHarmless(gid: number, owner: number): boolean {
  if (gid === 0 || gid === MACOS_ADMIN && Deno.build.os === "darwin") return true;
  const users = records("/etc/passwd");
  const name = users.find(([, , id]) => id === String(owner))?.[0];
  const group = records("/etc/group").find(([, , id]) => id === String(gid));
  const members = [
    ...(group?.[3] ?? "").split(","),
    ...users.filter(([, , , id]) => id === String(gid)).map(([member]) => member),
  ];
  const isOwners = gid === owner || (name !== undefined && group?.[0] === name);
  return isOwners && members.every((member) => member === "" || member === name);
}

/** The fields of each line; none if there is no such file. */
function records(path: string): string[][] {
  try {
    return Deno.readTextFileSync(path).split("\n").map((line) => line.split(":"));
  } catch {
    return [];
  }
}

/** @throws {ConfigError} unless nobody can change it after all. */
function refuse(step: Step, reason: string): void {
  if (!isMountedReadOnly(step)) throw new ConfigError(reason);
}

/**
 * Whether it lies where nobody here can change anything: Kubernetes mounts configuration as directories that everyone may
 * write to, containers mount files of users that they don't know. It is asked to take the times that it has: a read-only
 * mount refuses that before it looks at who asks.
 */
function isMountedReadOnly({ path, info, directory }: Step): boolean {
  const [target, expected] = info.isSymlink ? [directory, Deno.lstatSync(directory)] : [path, info];
  if (!expected.isFile && !expected.isDirectory) return false; // opening it might wait
  try {
    using file = Deno.openSync(target);
    const found = file.statSync();
    if (found.dev !== expected.dev || found.ino !== expected.ino) return false; // someone has just replaced it
    file.utimeSync(found.atime ?? new Date(), found.mtime ?? new Date());
    return false;
  } catch (error) {
    return (error as { code?: unknown }).code === "EROFS";
  }
}

function octal(mode: number | null): string {
  return ((mode ?? 0) & 0o7777).toString(8).padStart(4, "0");
}
