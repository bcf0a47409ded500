/** The pages of an index, which list the files of a project as HTML (PEP 503) or JSON (PEP 691). */

import { Parser } from "htmlparser2";
import * as z from "zod";
import { newest } from "./newest.ts";
import { parseSourceName, parseWheelName } from "./names.ts";
import { Refusal } from "./refusal.ts";

/** How many files of a page are considered. */
const MAX_FILES = 50_000;
const SHA256 = /^[0-9a-f]{64}$/;

/** A wheel that can be used here. */
export const listedFile = z.object({
  filename: z.string(),
  /** Absolute, without fragment. */
  url: z.string(),
  /** Lower-case hex. */
  sha256: z.string().regex(SHA256),
  version: z.string(),
  requiresPython: z.string().optional(),
  /** The reason for yanking it, which may be empty. */
  yanked: z.string().optional(),
  /** The SHA-256 of the wheel's METADATA, which the index serves at `url` + `.metadata`. */
  metadata: z.string().regex(SHA256).optional(),
});
export type ListedFile = z.infer<typeof listedFile>;

/** The part of a project's page that is of use here. */
export const listing = z.object({
  files: z.array(listedFile),
  /** How many files are left out: sources, which can't be built here; native wheels; files without a SHA-256. */
  leftOut: z.object({ sources: z.number(), native: z.number(), unhashed: z.number() }),
  /** The newest release of which there are only files that are left out. */
  unusable: z.string().nullable(),
});
export type Listing = z.infer<typeof listing>;

/** A file as described in either format. */
interface PageFile {
  readonly filename: string;
  readonly href: string;
  readonly sha256: string | undefined;
  readonly requiresPython: string | undefined;
  readonly yanked: string | undefined;
  readonly metadata: string | undefined;
}

/**
 * Reads a page.
 *
 * @param url Where it was found; links are relative to it.
 * @param project Normalized; files of other projects are ignored.
 * @throws {Refusal} bad_index
 */
export function parsePage(body: string, contentType: string, url: string, project: string): Listing {
  const files = /[/+]json\b/.test(contentType) ? fromJson(body) : fromHtml(body);
  const listed: ListedFile[] = [];
  const leftOut = { sources: 0, native: 0, unhashed: 0 };
  const released = new Set<string>();
  for (const file of files.slice(0, MAX_FILES)) {
    const wheel = parseWheelName(file.filename);
    const version = wheel?.version ?? parseSourceName(file.filename, project);
    if (version !== undefined && file.yanked === undefined) released.add(version);
    if (wheel === undefined) {
      leftOut.sources++;
      continue;
    }
    if (wheel.project !== project || !URL.canParse(file.href, url)) continue;
    if (!wheel.pure) {
      leftOut.native++;
      continue;
    }
    if (file.sha256 === undefined || !SHA256.test(file.sha256)) {
      leftOut.unhashed++;
      continue;
    }
    const target = new URL(file.href, url);
    target.hash = "";
    listed.push({
      filename: file.filename,
      url: target.href,
      sha256: file.sha256,
      version: wheel.version,
      ...(file.requiresPython !== undefined && { requiresPython: file.requiresPython }),
      ...(file.yanked !== undefined && { yanked: file.yanked }),
      ...(file.metadata !== undefined && SHA256.test(file.metadata) && { metadata: file.metadata }),
    });
  }
  for (const { version } of listed) released.delete(version);
  return { files: listed, leftOut, unusable: newest(released) };
}

function fromHtml(body: string): PageFile[] {
  const files: PageFile[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      const { href } = attributes;
      if (name !== "a" || href === undefined) return;
      const [path = "", fragment = ""] = href.split("#", 2);
      const filename = decoded(path.split("?", 1)[0]?.split("/").at(-1) ?? "");
      const metadata = attributes["data-core-metadata"] ?? attributes["data-dist-info-metadata"];
      files.push({
        filename,
        href,
        sha256: /(?:^|&)sha256=([0-9a-fA-F]{64})(?:&|$)/.exec(fragment)?.[1]?.toLowerCase(),
        requiresPython: attributes["data-requires-python"],
        yanked: attributes["data-yanked"],
        metadata: /^sha256=([0-9a-f]{64})$/.exec(metadata ?? "")?.[1],
      });
    },
  });
  parser.end(body);
  return files;
}

const hashes = z.union([z.boolean(), z.record(z.string(), z.string())]).optional();
const jsonPage = z.object({
  files: z.array(z.object({
    filename: z.string(),
    url: z.string(),
    hashes: z.record(z.string(), z.string()),
    "requires-python": z.string().nullish(),
    yanked: z.union([z.boolean(), z.string()]).optional(),
    "core-metadata": hashes,
    "dist-info-metadata": hashes,
  })),
});

function fromJson(body: string): PageFile[] {
  const { data } = jsonPage.safeParse(unlessBroken(body));
  if (!data) throw new Refusal("bad_index", "the index sent a page that does not follow PEP 691");
  return data.files.map((file) => {
    const metadata = file["core-metadata"] ?? file["dist-info-metadata"];
    return {
      filename: file.filename,
      href: file.url,
      sha256: file.hashes["sha256"]?.toLowerCase(),
      requiresPython: file["requires-python"] ?? undefined,
      yanked: file.yanked === true ? "" : file.yanked || undefined,
      metadata: typeof metadata === "object" ? metadata["sha256"] : undefined,
    };
  });
}

function unlessBroken(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
