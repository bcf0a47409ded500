/** Paths of files as clients write them, and the URIs of what is below /app. */

import * as z from "zod";
import { WasmboxError } from "../errors.ts";
import { ALIASES, WORKING_DIRECTORY } from "../fs/places.ts";
import { SESSION_ID_PATTERN } from "../session/names.ts";

/** Relative to /app, or absolute inside the sandbox. */
export const pathSchema = z.string().min(1).max(4096);

/**
 * A path that stays inside the sandbox: relative to /app if it is below it, else absolute, without `.` and `..`; "." for
 * /app itself.
 *
 * @throws {WasmboxError} INVALID_PATH, if `..` leads out of the root.
 */
export function normalPath(path: string): string {
  const parts: string[] = path.startsWith("/") ? [] : WORKING_DIRECTORY.split("/").slice(1);
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) {
      throw new WasmboxError("INVALID_PATH", `"${path.slice(0, 200)}" leads out of the sandbox's files.`, {
        suggestions: ["Give a path relative to /app; files of the machine itself can't be reached."],
        context: { path: path.slice(0, 200) },
      });
    }
  }
  const absolute = withoutAlias(`/${parts.join("/")}`);
  return belowWorkspace(absolute) ?? (absolute === WORKING_DIRECTORY ? "." : absolute);
}

/** The path in the workspace that a name leads to by which other sandboxes know theirs. */
function withoutAlias(path: string): string {
  const alias = ALIASES.find((alias) => path === alias || path.startsWith(`${alias}/`));
  return alias === undefined ? path : WORKING_DIRECTORY + path.slice(alias.length);
}

/** An absolute path relative to /app; undefined if it is not below it. */
function belowWorkspace(path: string): string | undefined {
  const prefix = `${WORKING_DIRECTORY}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

/** `path` below a directory, both as {@link normalPath} gives them. */
export function joinPath(directory: string, path: string): string {
  if (directory === ".") return path;
  return directory.endsWith("/") ? directory + path : `${directory}/${path}`;
}

const SCHEME = "workspace://";

/** As RFC 6570 has it, for completion: `path` is relative to /app. */
export const RESOURCE_TEMPLATE = `${SCHEME}{session}/{+path}`;

/** @returns undefined for what is not below /app. @param path As {@link normalPath} gives it. */
export function resourceUri(sessionId: string, path: string): string | undefined {
  if (path === "." || path.startsWith("/")) return undefined;
  return `${SCHEME}${sessionId}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** What a URI names; undefined if it can't be the name of a file below /app. */
export function parseResourceUri(uri: string): { sessionId: string; path: string } | undefined {
  if (!uri.startsWith(SCHEME) || /[?#]/.test(uri)) return undefined;
  const [sessionId = "", ...segments] = uri.slice(SCHEME.length).split("/");
  const path = decodePath(segments);
  return path !== undefined && SESSION_ID_PATTERN.test(sessionId) ? { sessionId, path } : undefined;
}

/**
 * A path below /app of the percent-encoded segments of a URI.
 *
 * @returns undefined if they make none: escapes that are not UTF-8, empty segments, `.` and `..`, a NUL.
 */
export function decodePath(segments: readonly string[]): string | undefined {
  try {
    const path = segments.map(decodeURIComponent).join("/");
    const parts = path.split("/");
    const bad = path.includes("\0") || parts.some((part) => part === "" || part === "." || part === "..");
    return bad ? undefined : path;
  } catch {
    return undefined;
  }
}
