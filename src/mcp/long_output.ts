/** Output that is too long for a reply: its first and last part are shown, all of it is a file of the session. */

import * as z from "zod";
import { WasmboxError } from "../errors.ts";
import type { Outcome } from "../session/outcome.ts";
import type { Session } from "../session/session.ts";
import { headAndTail } from "./execution_text.ts";
import { resourceUri } from "./paths.ts";
import type { ContentBlock } from "./tool.ts";

/** Longest output in a reply, UTF-16 units. */
const MAX_SHOWN = { stdout: 30_000, stderr: 10_000 };
const DIRECTORY = ".output";
/** Files that are kept there, the last ones. */
const MAX_FILES = 8;
const STREAMS = ["stdout", "stderr"] as const;

/** Fields of an execution's reply. */
export const longOutput = {
  output_files: z.array(z.object({
    stream: z.enum(STREAMS),
    path: z.string(),
    size: z.number().int(),
    uri: z.string(),
    whole: z.boolean().describe("False: it exceeded the policy's bound, and its middle was not kept."),
  })).describe("What stdout or stderr show in part."),
};

export interface Shortened<Shown extends Outcome = Outcome> {
  /** With what is shown of its output. */
  readonly outcome: Shown;
  readonly files: z.infer<typeof longOutput.output_files>;
}

/** Nothing is written where a run was to leave no trace, or where there is no room. */
export async function shortened<Shown extends Outcome>(
  outcome: Shown,
  session: Session,
): Promise<Shortened<Shown>> {
  const long = tooLong(outcome);
  return {
    outcome: withoutMiddles(outcome),
    files: long.length > 0 && outcome.state === "kept" ? await save(outcome, long, session) : [],
  };
}

/** The first and the last part of what is too long. */
export function withoutMiddles<Shown extends Outcome>(outcome: Shown): Shown {
  const long = tooLong(outcome);
  if (long.length === 0) return outcome;
  const shown = Object.fromEntries(
    long.map((stream) => [stream, headAndTail(outcome[stream], MAX_SHOWN[stream])]),
  );
  const cut = Object.fromEntries(long.map((stream) => [stream, true]));
  return { ...outcome, ...shown, truncated: { ...outcome.truncated, ...cut } };
}

function tooLong(outcome: Outcome): (typeof STREAMS)[number][] {
  return STREAMS.filter((stream) => outcome[stream].length > MAX_SHOWN[stream]);
}

async function save(outcome: Outcome, long: readonly (typeof STREAMS)[number][], { id, files }: Session) {
  const saved: Shortened["files"] = [];
  try {
    for (const stream of long) {
      const path = `${DIRECTORY}/${outcome.executionId.slice(0, 8)}.${stream}.txt`;
      const { entry } = await files.write(path, new TextEncoder().encode(outcome[stream]));
      const whole = !outcome.truncated[stream];
      saved.push({ stream, path, size: entry.size, uri: resourceUri(id, path)!, whole });
    }
    const { entries } = await files.list(DIRECTORY, { limit: 4 * MAX_FILES });
    const oldest = entries.toSorted((a, b) => a.modified - b.modified).slice(0, -MAX_FILES);
    for (const { path } of oldest) await files.delete(`${DIRECTORY}/${path}`, false);
  } catch (error) {
    if (!(error instanceof WasmboxError)) throw error; // no room, or the session is gone: what is shown has to do
  }
  return saved;
}

export function outputLinks(files: Shortened["files"]): ContentBlock[] {
  return files.map(({ path, uri, size }) => ({
    type: "resource_link",
    uri,
    name: path,
    mimeType: "text/plain",
    size,
  }));
}

/** What a model reads of them. */
export function outputLines(files: Shortened["files"]): string {
  return files.map(({ stream, path, size, whole }) =>
    whole
      ? `\n[all of ${stream}, ${size} bytes: ${path}]`
      : `\n[the beginning and end of ${stream}, ${size} bytes: ${path}. It was more than is kept (${stream}_max_bytes)]`
  ).join("");
}
