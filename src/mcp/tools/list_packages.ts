import * as z from "zod";
import { toErrorInfo } from "../../errors.ts";
import { NPM_RECORD, SITE_PACKAGES } from "../../fs/places.ts";
import { isJson, MAX_VALUE_DEPTH } from "../../json_depth.ts";
import type { Session } from "../../session/session.ts";
import { bundled, bundledPackage } from "../bundled_packages.ts";
import { sessionIdSchema } from "../schemas.ts";
import { defineTool, type ToolContext } from "../tool.ts";

/** Most installed packages in one reply. */
const MAX_INSTALLED = 1000;
/** Most of them as text for the model. */
const MAX_LINES = 200;
const MAX_SUMMARY = 100;
const MAX_RECORD_BYTES = 256 * 1024;
/** Name and version of an installed package, as its directory of metadata is called (PyPA: recording installed projects). */
const METADATA = /^([A-Za-z0-9._]{1,100})-([A-Za-z0-9._+!]{1,50})\.dist-info$/;

const input = z.strictObject({ session_id: sessionIdSchema.optional() });
const output = z.object({
  session_id: z.string().nullable().describe(
    "Whose installed packages these are; null if there is no session.",
  ),
  installed: z.array(z.object({ name: z.string(), version: z.string() })).describe(
    "By install_package or pip, in this session. They come before bundled ones of the same name.",
  ),
  installed_truncated: z.boolean(),
  javascript: z.array(z.object({ name: z.string(), version: z.string() })).describe(
    "From npm, in this session; dependencies that only one package sees are left out.",
  ),
  bundled: z.array(bundledPackage).describe("Importable in every session."),
  stdlib: z.object({ version: z.string(), modules: z.array(z.string()) }),
});

export const listPackages = defineTool({
  name: "list_packages",
  title: "List packages",
  description:
    "Lists what can be imported: packages installed in the session, Python packages bundled with every session, modules of Python's standard library.",
  input,
  output,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run(args, context) {
    const session = await sessionOf(args, context);
    const [{ packages, stdlib }, found, javascript] = await Promise.all([
      bundled(),
      session ? installedIn(session) : NONE,
      session ? npmPackagesIn(session) : [],
    ]);
    const reply = {
      session_id: session?.id ?? null,
      installed: found.installed,
      installed_truncated: found.truncated,
      javascript,
      bundled: [...packages],
      stdlib: { version: stdlib.version, modules: [...stdlib.modules] },
    };
    return { output: reply, text: textOf(reply) };
  },
});

/** A default session in which nothing has happened yet does not exist; looking does not create it. */
async function sessionOf(
  args: z.infer<typeof input>,
  context: ToolContext,
): Promise<Session | undefined> {
  const { sessions, principal, defaultSession } = context;
  if (args.session_id !== undefined) return await sessions.get(principal, args.session_id);
  return defaultSession === undefined ? undefined : await sessions.find(principal, defaultSession);
}

type Found = { readonly installed: z.infer<typeof output>["installed"]; readonly truncated: boolean };
const NONE: Found = { installed: [], truncated: false };

/** By the names of directories: the session's files are the guest's, and nothing of it is run or read for this. */
async function installedIn({ files }: Session): Promise<Found> {
  try {
    const { entries, next } = await files.list(SITE_PACKAGES, {
      pattern: "*.dist-info",
      limit: MAX_INSTALLED,
    });
    const installed = entries.flatMap(({ path }) => {
      const [, name, version] = METADATA.exec(path) ?? [];
      return name !== undefined && version !== undefined ? [{ name, version }] : [];
    });
    return { installed, truncated: next !== null };
  } catch (error) {
    const { error_code } = toErrorInfo(error);
    if (error_code === "FILE_NOT_FOUND" || error_code === "NOT_A_DIRECTORY") return NONE;
    throw error;
  }
}

/** What the installer has noted beside the packages. It is the guest's file: bounded, and looked at as such. */
const npmRecord = z.object({
  packages: z.record(z.string().max(1000), z.object({ version: z.string().max(256).optional() })),
});
const NPM_NAME = /^node_modules\/((?:@[^/\p{Cc}]+\/)?[^/\p{Cc}]+)$/u;

async function npmPackagesIn({ files }: Session): Promise<Found["installed"]> {
  try {
    const { bytes } = await files.read(NPM_RECORD, 0, MAX_RECORD_BYTES);
    const text = new TextDecoder().decode(bytes);
    const { data } = npmRecord.safeParse(isJson(text, MAX_VALUE_DEPTH) ? JSON.parse(text) : undefined);
    return Object.entries(data?.packages ?? {}).flatMap(([path, { version }]) => {
      const name = NPM_NAME.exec(path)?.[1];
      return name !== undefined && version !== undefined ? [{ name, version }] : [];
    }).sort((a, b) => a.name < b.name ? -1 : 1).slice(0, MAX_INSTALLED);
  } catch (error) {
    const { error_code } = toErrorInfo(error);
    if (
      error_code === "FILE_NOT_FOUND" || error_code === "NOT_A_DIRECTORY" || error_code === "NOT_A_FILE"
    ) {
      return [];
    }
    throw error;
  }
}

function textOf(reply: z.infer<typeof output>): string {
  const { installed, javascript, bundled, stdlib } = reply;
  const lines = installed.slice(0, MAX_LINES).map(({ name, version }) => `${name} ${version}`);
  if (installed.length > lines.length) lines.push(`… and ${installed.length - lines.length} more`);
  return [
    "Installed in this session:",
    ...(lines.length > 0 ? lines : ["(none)"]),
    ...javascript.slice(0, MAX_LINES).map(({ name, version }) => `${name} ${version} (JavaScript)`),
    "",
    "Bundled:",
    ...bundled.map(({ name, version, imports, summary, note }) =>
      `${name} ${version} (import ${imports.join(", ")}): ${summary.slice(0, MAX_SUMMARY)}${
        note ? ` [${note}]` : ""
      }`
    ),
    "",
    `Standard library of Python ${stdlib.version}: ${stdlib.modules.join(", ")}`,
  ].join("\n");
}
