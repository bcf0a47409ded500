/** Files that programs are, by the names that a script gives them. */

import { PROGRAM_MAX_BYTES } from "./process.ts";
import type { SpawnRequest, Surroundings } from "./program.ts";
import { ProgramError } from "./program_error.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Whether a name is that of what a program is given to read: no file of the session has it. */
export function isStandardInput(name: string): boolean {
  return /^\/dev\/stdin$|^\/(?:dev|proc\/self)\/fd\/0$/.test(name);
}

/** Whether a name is that of where a program's output goes. */
export function isStandardOutput(name: string): boolean {
  return /^\/dev\/stdout$|^\/(?:dev|proc\/self)\/fd\/1$/.test(name);
}

/** The absolute path that an argument names; it may have `.` and `..` in it. */
export function pathOf({ cwd }: Pick<SpawnRequest, "cwd">, name: string): string {
  return normalized(cwd, name);
}

/** The absolute path of a name that is relative to a directory, if it is. */
export function normalized(cwd: string, name: string): string {
  const parts: string[] = [];
  for (const part of (name.startsWith("/") ? name : `${cwd}/${name}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** A name without the slashes at its end. No regular expression: it would look for the end from each slash anew. */
export function withoutSlashes(name: string): string {
  let end = name.length;
  while (end > 0 && name[end - 1] === "/") end--;
  return name.slice(0, end);
}

/** The text of a program. @throws {FsError} @throws {ProgramError} if it is too large. */
export function readProgram(surroundings: Surroundings, path: string): string {
  return textOf(readProgramBytes(surroundings, path));
}

/** A program as it is in its file. @throws {FsError} @throws {ProgramError} if it is too large. */
export function readProgramBytes({ host: { fs } }: Surroundings, path: string): Uint8Array {
  const { type, size } = fs.stat(path);
  if (type === "file" && size > PROGRAM_MAX_BYTES) {
    throw new ProgramError(`${path}: a program may have ${PROGRAM_MAX_BYTES} bytes`);
  }
  return fs.readFile(path);
}
