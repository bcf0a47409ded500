/** The registry as a session sees it: through the server's broker. */

import * as z from "zod/mini";
import { fromBase64 } from "../../base64.ts";
import { concatBytes } from "../../bytes.ts";
import { HostCallError, type RuntimeHost } from "../runtime.ts";
import { NpmError, NpmStopped } from "./error.ts";
import type { NpmReason } from "../../executor/wire/npm_command.ts";
import type { Requirement } from "./requirement.ts";
import { maxSatisfying, satisfies } from "./semver.ts";

const dependencies = z.record(z.string(), z.string());
const version = z.object({
  integrity: z.string(),
  dependencies,
  optional: dependencies,
  peers: dependencies,
  obstacle: z.nullable(z.enum(["script", "platform"])),
  deprecated: z.boolean(),
});
export type Version = z.infer<typeof version>;

const listing = z.object({
  tags: z.record(z.string(), z.string()),
  versions: z.record(z.string(), version),
  unhashed: z.number(),
  denied: z.number(),
});
type Listing = z.infer<typeof listing>;

const piece = z.object({ size: z.number(), body: z.string() });
const refused = z.object({ refused: z.object({ reason: z.string(), message: z.string() }) });

/** A version that was chosen. */
export interface Chosen {
  readonly version: string;
  readonly about: Version;
}

export class Registry {
  readonly #listings = new Map<string, Listing>();

  constructor(readonly host: RuntimeHost) {}

  /**
   * The version that a requirement gets: one that is preferred, else that of the tag `latest`, else the newest.
   *
   * @param preferred Versions that are installed.
   * @throws {NpmError} @throws {NpmStopped}
   */
  choose(requirement: Requirement, preferred: readonly string[]): Chosen {
    const { from, versions: wanted } = requirement;
    const listing = this.#listing(from);
    const { tags, versions } = listing;
    const found = "tag" in wanted
      ? own(tags, wanted.tag)
      : this.#inRange(listing, wanted.range, preferred.filter((version) => Object.hasOwn(versions, version)));
    const about = found === undefined ? undefined : own(versions, found);
    if (found !== undefined && about) return { version: found, about };
    throw noVersion(requirement, listing);
  }

  /** Whether a version is what a tag stands for. */
  isTagged(name: string, tag: string, version: string): boolean {
    return own(this.#listing(name).tags, tag) === version;
  }

  /** @throws {NpmError} @throws {NpmStopped} */
  tarball(integrity: string, about: string): Uint8Array {
    const pieces: Uint8Array[] = [];
    for (let offset = 0;;) {
      const { size, body } = piece.parse(this.#ask({ kind: "file", integrity, offset }, about));
      const bytes = fromBase64(body);
      if (!bytes?.length) throw new NpmError("corrupt", `the file of ${about} is empty`, about);
      pieces.push(bytes);
      offset += bytes.length;
      if (offset >= size) return concatBytes(pieces);
    }
  }

  #inRange(
    { tags, versions }: Listing,
    range: string,
    preferred: readonly string[],
  ): string | undefined {
    const kept = maxSatisfying(preferred, range);
    if (kept !== null) return kept;
    const latest = own(tags, "latest");
    const had = latest !== undefined && Object.hasOwn(versions, latest); // the operator may have forbidden it
    if (had && (range === "*" || satisfies(latest, range))) return latest;
    const all = Object.keys(versions);
    const recommended = all.filter((version) => !versions[version]?.deprecated);
    return maxSatisfying(recommended, range) ?? maxSatisfying(all, range) ?? undefined;
  }

  #listing(name: string): Listing {
    const known = this.#listings.get(name);
    if (known) return known;
    const fresh = listing.parse(this.#ask({ kind: "package", name }, name));
    this.#listings.set(name, fresh);
    return fresh;
  }

  #ask(request: object, about: string): unknown {
    let answer: unknown;
    try {
      const reply = this.host.hostCall("npm", new TextEncoder().encode(JSON.stringify(request)));
      answer = JSON.parse(new TextDecoder().decode(reply));
    } catch (error) {
      if (!(error instanceof HostCallError)) throw error;
      if (this.host.cell.requested() !== "none") throw new NpmStopped();
      throw new NpmError("offline", error.message, about);
    }
    const { data } = refused.safeParse(answer);
    if (data) throw new NpmError(data.refused.reason as NpmReason, data.refused.message, about);
    return answer;
  }
}

function noVersion({ from, spec }: Requirement, { versions, unhashed, denied }: Listing): NpmError {
  if (denied > 0) {
    return new NpmError("denied", `no version of ${from} that fits "${spec}" may be installed`, from);
  }
  const newest = maxSatisfying(Object.keys(versions), "*");
  const there = newest === null ? "" : `; the newest is ${newest}`;
  const hash = unhashed > 0 ? `; ${unhashed} without a hash that counts are left out` : "";
  return new NpmError("no_version", `no version of ${from} fits "${spec}"${there}${hash}`, from);
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
