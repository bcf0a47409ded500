/** The registry as a session sees it: through the server's broker. */

import { concatBytes } from "../../bytes.ts";
import {
  type NpmAnswer,
  npmProtocol,
  type NpmRequest,
  type OfferedPackage,
  type OfferedVersion,
} from "../../host_calls/npm.ts";
import { type Answered, askHost } from "../../host_calls/protocol.ts";
import type { Refused } from "../../host_calls/refusal.ts";
import { NODE_VERSION } from "../javascript/node_version.ts";
import { HostCallError, type RuntimeHost } from "../runtime.ts";
import { NpmError, NpmStopped } from "./error.ts";
import type { NpmReason } from "../../executor/wire/npm_command.ts";
import type { Requirement } from "./requirement.ts";
import { maxSatisfying, satisfies } from "./semver.ts";

type Listing = OfferedPackage;

/** Whether a version says that it is for the Node whose interface is offered. */
function isForThis({ node }: OfferedVersion): boolean {
  return node === null || satisfies(NODE_VERSION, node, { includePrerelease: true });
}

/** A version that was chosen. */
export interface Chosen {
  readonly version: string;
  readonly about: OfferedVersion;
}

export class Registry {
  readonly #listings = new Map<string, Listing>();

  constructor(readonly host: RuntimeHost) {}

  /**
   * The version that a requirement gets: one that is preferred, else that of the tag `latest`, else the newest; among
   * those that are for this Node where there are any, as npm chooses.
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
      const { answer, bytes } = this.#ask({ kind: "file", integrity, offset }, about);
      if (!("size" in answer)) throw new NpmError("bad_index", "the server's answer is not a file", about);
      if (bytes.length === 0) throw new NpmError("corrupt", `the file of ${about} is empty`, about);
      pieces.push(bytes);
      offset += bytes.length;
      if (offset >= answer.size) return concatBytes(pieces);
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
    const all = Object.keys(versions);
    const suiting = all.filter((version) => isForThis(versions[version]!));
    if (had && (range === "*" || satisfies(latest, range)) && suiting.includes(latest)) return latest;
    const recommended = (some: readonly string[]) => some.filter((version) => !versions[version]?.deprecated);
    for (const some of [recommended(suiting), suiting]) {
      const found = maxSatisfying(some, range);
      if (found !== null) return found;
    }
    if (had && (range === "*" || satisfies(latest, range))) return latest;
    return maxSatisfying(recommended(all), range) ?? maxSatisfying(all, range) ?? undefined;
  }

  #listing(name: string): Listing {
    const known = this.#listings.get(name);
    if (known) return known;
    const { answer } = this.#ask({ kind: "package", name }, name);
    if (!("versions" in answer)) {
      throw new NpmError("bad_index", "the server's answer is not a package", name);
    }
    this.#listings.set(name, answer);
    return answer;
  }

  #ask(
    request: NpmRequest,
    about: string,
  ): { readonly answer: Exclude<NpmAnswer, Refused>; readonly bytes: Uint8Array } {
    const { answer, bytes } = this.#exchange(request, about);
    if (!("refused" in answer)) return { answer, bytes };
    const { reason, message } = answer.refused;
    throw new NpmError(reason as NpmReason, message, about);
  }

  #exchange(request: NpmRequest, about: string): Answered<NpmAnswer> {
    try {
      return askHost(this.host.hostCall, npmProtocol, request);
    } catch (error) {
      if (!(error instanceof HostCallError)) throw error;
      if (this.host.cell.requested() !== "none") throw new NpmStopped();
      throw new NpmError("offline", error.message, about);
    }
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
