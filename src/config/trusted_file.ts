/**
 * Whether nobody else can change a configuration file.
 *
 * Whoever can write to it, or replace a directory or a link on the way to it, decides what the server may do. So every step
 * of the way is checked, as ssh does with its own files.
 */

import { ConfigError } from "./error.ts";
import { isAbsolute } from "./paths.ts";

const MAX_LINKS = 40;
const WRITABLE_BY_GROUP = 0o020;
const WRITABLE_BY_ALL = 0o002;
/** In such a directory an entry can be renamed or removed by its owner only. */
const STICKY = 0o1000;
/** The macOS group whose members may become root. */
const MACOS_ADMIN = 80;

/** A directory, a link or the file itself. */
interface Step {
  readonly path: string;
  readonly info: Deno.FileInfo;
  /** The directory that contains it. */
  readonly directory: string;
}

/**
 * Checks owners and modes. Access control lists can't be read; on Windows, which has nothing else, nothing is checked.
 *
 * @throws {ConfigError} if anyone but this process's user and root can change the file.
 * @throws {Deno.errors.NotFound} if the file does not exist; another of Deno's errors if it can't be examined.
 */
export function assertTrusted(path: string): void {
  if (Deno.build.os === "windows") return;
  if (/^\/dev\/fd\/\d+$/.test(path)) return; // opened by whoever started this process
  const user = Deno.uid();
  // The owner of the root directory can replace everything else. In a user namespace that need not be user 0.
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

/** Everything on the way to a file, starting at the root directory: each directory, each link, and the file. */
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
    if (++links > MAX_LINKS) throw new ConfigError(`${path}: too many symbolic links on the way to it`);
    const target = Deno.readLinkSync(next);
    if (target.startsWith("/")) directory = "";
    rest.unshift(...target.split("/"));
  }
}

function othersCanWrite({ isSymlink, isDirectory, mode, uid, gid }: Deno.FileInfo): boolean {
  if (isSymlink || mode === null) return false; // only who can write to its directory can change a link
  if (isDirectory && mode & STICKY) return false; // the owner of the entry is checked instead
  if (mode & WRITABLE_BY_ALL) return true;
  return (mode & WRITABLE_BY_GROUP) !== 0 && !isHarmless(gid ?? 0, uid ?? 0);
}

/**
 * Whether a group adds nobody who could write: it is root's, or its only member is the owner. Many systems give each user
 * such a group, and let it write to whatever the user creates.
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

/** The fields of each line; empty if the file does not exist. */
function records(path: string): string[][] {
  try {
    return Deno.readTextFileSync(path).split("\n").map((line) => line.split(":"));
  } catch {
    return [];
  }
}

/** @throws {ConfigError} unless nobody here can change it after all. */
function refuse(step: Step, reason: string): void {
  if (!isMountedReadOnly(step)) throw new ConfigError(reason);
}

/**
 * Whether it is on a read-only mount, where nobody can change anything: Kubernetes mounts configuration as directories that
 * everyone may write to, and containers mount files of users they don't know. The probe is to set the times that it already
 * has, which a read-only mount refuses before it considers who is asking.
 */
function isMountedReadOnly({ path, info, directory }: Step): boolean {
  const [target, expected] = info.isSymlink ? [directory, Deno.lstatSync(directory)] : [path, info];
  if (!expected.isFile && !expected.isDirectory) return false; // opening it might block
  try {
    using file = Deno.openSync(target);
    const found = file.statSync();
    if (found.dev !== expected.dev || found.ino !== expected.ino) return false; // it was replaced just now
    file.utimeSync(found.atime ?? new Date(), found.mtime ?? new Date());
    return false;
  } catch (error) {
    return (error as { code?: unknown }).code === "EROFS";
  }
}

function octal(mode: number | null): string {
  return ((mode ?? 0) & 0o7777).toString(8).padStart(4, "0");
}
