/**
 * What the server can ask of a session's workspace, and the answers. Bytes of files don't go inside these messages: they
 * go before the message that they belong to, on its channel, in frames of kind "bytes". An operation or answer never
 * has more than {@link PIECE_BYTES} of them, so that neither side holds more: asking for a piece is the credit for it.
 */

import { LANGUAGE_NAMES } from "../../languages.ts";
import { FS_ERROR_CODES } from "../../fs/errors.ts";
import { PATTERN_MAX } from "../../fs/glob.ts";
import { PATH_MAX } from "../../fs/names.ts";
import { MAX_DOCUMENT_TEXT, MAX_LISTED, MAX_VARIABLE_TEXT, MAX_VARIABLES } from "./bounds.ts";
import { PIECE_BYTES } from "../../host_calls/bounds.ts";
import { TIME_MAX } from "../../fs/times.ts";
import * as z from "zod/mini";

const count = z.int().check(z.nonnegative());
/** UTF-16 units; the file system bounds the bytes. Relative ones start at the working directory. */
const path = z.string().check(z.maxLength(PATH_MAX));
/** Names one state of one file's contents: other contents have another tag, always. */
const tag = z.string().check(z.maxLength(100));

/** Operations that change nothing. */
const look = [
  z.object({ kind: z.literal("info") }),
  z.object({ kind: z.literal("variables") }),
  /** The text of a PDF. */
  z.object({ kind: z.literal("text"), path }),
  z.object({ kind: z.literal("stat"), path }),
  z.object({
    kind: z.literal("list"),
    path,
    pattern: z.nullable(z.string().check(z.maxLength(PATTERN_MAX))),
    recursive: z.boolean(),
    /** `next` of an earlier answer. */
    after: z.nullable(path),
    /** The answer may have fewer: it is bounded in bytes as well. */
    limit: count.check(z.maximum(MAX_LISTED)),
  }),
  /** `tag`: fails if the file's contents are not those. */
  z.object({
    kind: z.literal("read"),
    path,
    offset: count,
    length: count.check(z.maximum(PIECE_BYTES)),
    tag: z.nullable(tag),
  }),
  /**
   * Its bytes are a piece of an upload, which is no file before a "write" makes it one. Refused as soon as the workspace
   * can't hold the result.
   */
  z.object({
    kind: z.literal("stage"),
    upload: count,
    /** The file that it will replace. */
    path,
    /** What has been staged of this upload. */
    offset: count,
    /** Size of all of it, if known. */
    total: z.nullable(count),
  }),
  /** Forgets what was staged. */
  z.object({ kind: z.literal("drop"), upload: count }),
] as const;

/** Operations that change files: all of what they are to do or, if they fail, nothing. */
const change = [
  z.object({ kind: z.literal("reset") }),
  /** Its bytes are the file's, or the rest of them after what was staged. Missing directories are made. */
  z.object({
    kind: z.literal("write"),
    path,
    /** What was staged of which upload. */
    staged: z.nullable(z.object({ upload: count, bytes: count })),
    append: z.boolean(),
    /** What must be there now: a file with this tag, or nothing; null for anything. */
    expect: z.nullable(z.union([tag, z.literal(false)])),
  }),
  z.object({ kind: z.literal("delete"), path, recursive: z.boolean() }),
  z.object({ kind: z.literal("move"), from: path, to: path, overwrite: z.boolean() }),
  z.object({ kind: z.literal("mkdir"), path }),
] as const;

export const workspaceOperation = z.discriminatedUnion("kind", [...look, ...change]);
export type WorkspaceOperation = z.infer<typeof workspaceOperation>;

export type ChangingOperation = z.infer<typeof change[number]>;

const workspaceEntry = z.object({
  /** Of a listing: relative to the directory listed. Else as it was asked for. */
  path,
  type: z.enum(["file", "directory", "symlink", "device"]),
  /** Bytes. */
  size: count,
  /** Last change of the contents, milliseconds since 1970. */
  modified: count.check(z.maximum(Number(TIME_MAX / 1_000_000n))),
  /** Of files only. */
  tag: z.nullable(tag),
});
export type WorkspaceEntry = z.infer<typeof workspaceEntry>;

export const language = z.enum(LANGUAGE_NAMES);

const workspaceUsage = z.object({
  bytes: count,
  files: count,
  heaps: z.array(z.object({ language, memoryBytes: count })),
});
export type WorkspaceUsage = z.infer<typeof workspaceUsage>;

const variableText = z.string().check(z.maxLength(MAX_VARIABLE_TEXT));
/** What people are told of a variable; the value in short, or nothing where that would take more than looking. */
const variable = z.object({ name: variableText, type: variableText, value: variableText });
export type Variable = z.infer<typeof variable>;

/** Of one language that has a heap. */
const languageVariables = z.object({
  language,
  variables: z.array(variable).check(z.maxLength(MAX_VARIABLES)),
  /** That are not told. */
  more: count,
});
export type LanguageVariables = z.infer<typeof languageVariables>;

export const workspaceAnswer = z.discriminatedUnion("kind", [
  /** To "info" and "reset". */
  z.object({ kind: z.literal("usage"), usage: workspaceUsage }),
  z.object({
    kind: z.literal("variables"),
    languages: z.array(languageVariables).check(z.maxLength(LANGUAGE_NAMES.length)),
  }),
  z.object({
    kind: z.literal("text"),
    /** Null if it has none that can be read. */
    text: z.nullable(z.string().check(z.maxLength(MAX_DOCUMENT_TEXT))),
  }),
  /** To "stat", "write", "delete" (what was there), "move", "mkdir", and to "read", with the piece as its bytes. */
  z.object({ kind: z.literal("entry"), entry: workspaceEntry, created: z.boolean() }),
  z.object({
    kind: z.literal("listing"),
    entries: z.array(workspaceEntry).check(z.maxLength(MAX_LISTED)),
    next: z.nullable(path),
  }),
  /** To "stage" and "drop". */
  z.object({ kind: z.literal("done") }),
  z.object({
    kind: z.literal("failed"),
    /**
     * POSIX; "CHANGED": not what was expected to be there; "UPLOAD": no such upload; "PATTERN": see the message;
     * "TOO_LARGE": the answer can't be sent.
     */
    code: z.enum([...FS_ERROR_CODES, "CHANGED", "UPLOAD", "PATTERN", "TOO_LARGE"]),
    message: z.string().check(z.maxLength(2 * PATH_MAX)),
  }),
]);
export type WorkspaceAnswer = z.infer<typeof workspaceAnswer>;
