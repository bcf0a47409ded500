/** What an execution did to the files, as a reply shows it: all changes, and what is there now to be fetched. */

import * as z from "zod";
import type { Outcome } from "../session/outcome.ts";
import { mimeTypeOf } from "../mime.ts";
import { resourceUri } from "./paths.ts";
import type { ContentBlock } from "./tool.ts";

/** Most links among the blocks of a reply. */
const MAX_LINKS = 10;

type ChangedFiles = Outcome["changed"];

/** Fields of an execution's reply. */
export const changedFilesOutput = {
  files_changed: z.array(z.object({
    path: z.string().describe("Relative to /app."),
    change: z.enum(["created", "modified", "deleted"]),
    size: z.number().int().describe("Bytes, after the change."),
    mime_type: z.string(),
  })).describe("Files below /app that this execution changed."),
  files_changed_truncated: z.boolean().describe("There were more than are listed."),
  artifacts: z.array(z.object({
    uri: z.string().describe("An MCP resource."),
    mime_type: z.string(),
    size: z.number().int(),
  })).describe("The files among them that can be fetched."),
};

export function changedFilesView({ files, truncated }: ChangedFiles, sessionId: string) {
  return {
    files_changed: files.map(({ path, change, type, size }) => ({
      path,
      change,
      size,
      mime_type: type === "symlink" ? "inode/symlink" : mimeTypeOf(path),
    })),
    files_changed_truncated: truncated,
    artifacts: artifactsOf(files, sessionId).map(({ uri, mimeType, size }) => ({
      uri,
      mime_type: mimeType,
      size,
    })),
  };
}

export function artifactLinks({ files }: ChangedFiles, sessionId: string): ContentBlock[] {
  return artifactsOf(files, sessionId).slice(0, MAX_LINKS)
    .map(({ uri, name, mimeType, size }) => ({ type: "resource_link", uri, name, mimeType, size }));
}

function artifactsOf(files: ChangedFiles["files"], sessionId: string) {
  return files.flatMap(({ path, change, type, size }) => {
    const uri = change === "deleted" || type !== "file" ? undefined : resourceUri(sessionId, path);
    const name = path.slice(path.lastIndexOf("/") + 1);
    return uri === undefined ? [] : [{ uri, name, mimeType: mimeTypeOf(path), size }];
  });
}
