/** What the heaps of sessions are deltas of. */

import * as z from "zod/mini";
import type { Language } from "../../languages.ts";
import type { Bases } from "../wire/bases.ts";

/** The assets that a heap of a language goes on from: with any other one its image is of no use. */
const MADE_OF = {
  python: [
    "python.wasm",
    "python.image",
    "python-science.wasm",
    "python-science.memory",
    "python-scipy.wasm",
    "python-scipy.memory",
  ],
  javascript: ["quickjs.wasm", "javascript.memory", "javascript.json"],
  shell: ["shell.wasm", "shell.memory"],
} as const satisfies Record<Language, readonly string[]>;

/** Of a digest; enough to tell builds apart. */
const SHOWN_DIGITS = 16;

const manifest = z.object({ files: z.record(z.string(), z.object({ sha256: z.string() })) });

/** @param assets The manifest of the assets, not yet checked. @throws {z.core.$ZodError} if it is invalid. */
export function basesOf(assets: unknown): Bases {
  const { files } = manifest.parse(assets);
  const digests = Object.entries(MADE_OF).flatMap(([language, names]) => {
    const parts = names.map((name) => files[name]?.sha256.slice(0, SHOWN_DIGITS) ?? "none");
    return [[language, parts.join(".")]];
  });
  return Object.fromEntries(digests);
}
