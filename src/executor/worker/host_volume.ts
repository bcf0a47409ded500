/** A mapped directory as a session's Worker sees it: what was not just seen is asked for by a host call. */

import { type HostCaller, HostCallError } from "../../host_calls/bridge.ts";
import { FsError } from "../../fs/errors.ts";
import type { Times } from "../../fs/inode_operations.ts";
import { DEPTH_MAX, NAME_MAX } from "../../fs/names.ts";
import type { Look, Mount, MountSource, Names, RemoteEntry, RemoteStat } from "../../fs/mounts/mount.ts";
import { ReadAhead, type SmallFile } from "../../fs/mounts/read_ahead.ts";
import { Seen, SMALL_FILE_BYTES } from "../../fs/mounts/seen.ts";
import { storable, timeOf } from "../../fs/times.ts";
import {
  type Mapping,
  type VolumeAnswer,
  volumeAnswers,
  volumeFailure,
  volumeOperation,
  type VolumeRequest,
  type volumeRequests,
  type WireStat,
} from "../../host_calls/volume.ts";

/** How long a call may go on after a soft stop: a healthy disk answers, so that a program that ends can save its work. */
const PATIENCE_MS = 100;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

type Kind = keyof typeof volumeRequests;
type Asked<K extends Kind> = VolumeRequest<K> extends infer Request
  ? Request extends unknown ? Omit<Request, "volume" | "names"> : never
  : never;

class HostVolume implements MountSource {
  readonly #caller: HostCaller;
  readonly #readAhead: ReadAhead;
  readonly #seen = new Seen();

  /** @param readAhead What all volumes of the session have in common. */
  constructor(
    caller: HostCaller,
    readAhead: ReadAhead,
    readonly volume: string,
    readonly writable: boolean,
  ) {
    this.#caller = caller;
    this.#readAhead = readAhead;
  }

  look(names: Names, recently?: "recently"): Look {
    if (recently) {
      const stat = this.#seen.stat(names) ?? this.#lookAhead(names);
      if (stat) return { kind: "found", stat };
    }
    const found = this.#ask("look", names, {}).answer;
    if (found.kind === "missing") return found;
    const stat = remoteStat(found.stat);
    if (found.kind === "found") this.#seen.keep(names, stat);
    return { ...found, stat };
  }

  /** Looks at a path and at what is probably looked at next. */
  #lookAhead(names: Names): RemoteStat | undefined {
    const entries = this.#seen.ahead(names);
    if (entries.length < 2) return undefined;
    const directory = names.slice(0, -1);
    const { stats } = this.#ask("entries", directory, { entries }).answer;
    for (const [index, stat] of stats.entries()) {
      if (stat) this.#seen.keep([...directory, entries[index]!], remoteStat(stat));
    }
    return stats[0] ? remoteStat(stats[0]) : undefined;
  }

  forget(): void {
    this.#seen.forget();
    this.#readAhead.forget();
  }

  list(names: Names): RemoteEntry[] {
    const entries: RemoteEntry[] = [];
    for (let after: string | null = null;;) {
      const { answer }: { answer: VolumeAnswer<"list"> } = this.#ask("list", names, { after });
      for (const [name, type] of answer.entries) entries.push({ name, type });
      const last: readonly [string, unknown] | undefined = answer.entries.at(-1);
      if (!answer.more || !last) {
        this.#seen.list(names, entries);
        return entries;
      }
      after = last[0];
    }
  }

  read(names: Names, id: number | undefined, position: number, length: number, known?: number) {
    if (position === 0 && length > SMALL_FILE_BYTES) {
      const ahead = this.#taken(names, id) ?? this.#readSmall(names, id);
      if (ahead) return { version: ahead.version, bytes: ahead.version === known ? undefined : ahead.bytes };
    }
    const asked = { id: id ?? null, position, length, known: known ?? null };
    const { answer: { version, same }, bytes } = this.#ask("read", names, asked);
    return { version, bytes: same ? undefined : bytes };
  }

  /** What was read ahead, if it is of that file, and not of another version than was seen since. */
  #taken(names: Names, id: number | undefined): SmallFile | undefined {
    const file = this.#readAhead.take(this.volume, names);
    const isMeant = file && (id === undefined || file.id === id) && this.#seen.isLatest(names, file.version);
    return isMeant ? file : undefined;
  }

  /** Reads a small file and what is probably read next. */
  #readSmall(names: Names, id: number | undefined): SmallFile | undefined {
    const ahead = this.#seen.filesAhead(names);
    if (ahead.length < 2) return undefined;
    const directory = names.slice(0, -1);
    const files = ahead.map(({ name, stat: { version } }) => ({ name, version }));
    const { answer: { lengths }, bytes } = this.#ask("files", directory, { files });
    let at = 0;
    for (const [index, { name, stat: { id, version } }] of ahead.entries()) {
      const length = lengths[index] ?? null;
      if (length === null) continue;
      // A copy: a part would keep the whole.
      const file = { id, version, bytes: bytes.slice(at, at += length) };
      this.#readAhead.keep(this.volume, [...directory, name], file);
    }
    return this.#taken(names, id);
  }

  write(names: Names, id: number | undefined, position: number | null, bytes: Uint8Array): number {
    return this.#changing(() => this.#ask("write", names, { id: id ?? null, position }, bytes).answer.end);
  }

  truncate(names: Names, id: number | undefined, size: number): void {
    this.#change(names, { kind: "truncate", id: id ?? null, size });
  }

  create(names: Names, exclusive: boolean): RemoteStat {
    const { stat } = this.#change(names, { kind: "create", exclusive });
    if (!stat) throw new FsError("EIO");
    return remoteStat(stat);
  }

  mkdir(names: Names): void {
    this.#change(names, { kind: "mkdir" });
  }

  unlink(names: Names): void {
    this.#change(names, { kind: "unlink" });
  }

  rmdir(names: Names): void {
    this.#change(names, { kind: "rmdir" });
  }

  rename(from: Names, to: Names): void {
    checkNames(to);
    this.#change(from, { kind: "rename", to: [...to] });
  }

  setTimes(names: Names, { atime, mtime }: Times): void {
    this.#change(names, {
      kind: "times",
      atime: atime === undefined ? null : String(storable(atime)),
      mtime: mtime === undefined ? null : String(storable(mtime)),
    });
  }

  #change(names: Names, change: Asked<"change">): VolumeAnswer<"change"> {
    return this.#changing(() => this.#ask("change", names, change).answer);
  }

  #changing<T>(change: () => T): T {
    try {
      return change();
    } finally {
      this.#seen.forget();
    }
  }

  /** @throws {FsError} */
  #ask<K extends Kind>(
    kind: K,
    names: Names,
    asked: Asked<K>,
    sent?: Uint8Array,
  ): { answer: VolumeAnswer<K>; bytes: Uint8Array } {
    checkNames(names);
    // Who has heard of anything new does not read what is older; what was read ahead shows in the stats of entries.
    if (kind !== "entries") this.#readAhead.forget();
    const request = encoder.encode(JSON.stringify({ volume: this.volume, names, ...asked }));
    const options = { patienceMs: PATIENCE_MS, ...(sent && { bytes: sent }) };
    let reply;
    try {
      reply = this.#caller.exchange(volumeOperation(kind), request, options);
    } catch (error) {
      if (!(error instanceof HostCallError)) throw error;
      throw new FsError("EIO"); // too late, or the wait was ended
    }
    const json: unknown = JSON.parse(decoder.decode(reply.json));
    const failure = volumeFailure.safeParse(json);
    if (failure.success) throw new FsError(failure.data.error);
    return { answer: volumeAnswers[kind].parse(json) as VolumeAnswer<K>, bytes: reply.bytes };
  }
}

/** @throws {FsError} for names that the server would not take. */
function checkNames(names: Names): void {
  if (names.length > DEPTH_MAX || names.some((name) => encoder.encode(name).length > NAME_MAX)) {
    throw new FsError("ENAMETOOLONG");
  }
  if (names.some((name) => name.includes("\\"))) throw new FsError("EINVAL");
}

/** @param caller What is called by it waits in the session's control cell. */
export function hostMounts(caller: HostCaller, mappings: readonly Mapping[]): Mount[] {
  const readAhead = new ReadAhead();
  return mappings.map(({ volume, path, writable }) => ({
    path,
    source: new HostVolume(caller, readAhead, volume, writable),
  }));
}

function remoteStat({ atime, mtime, ctime, ...same }: WireStat): RemoteStat {
  return { ...same, atime: timeOf(atime), mtime: timeOf(mtime), ctime: timeOf(ctime) };
}
