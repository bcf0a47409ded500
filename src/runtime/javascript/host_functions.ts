/** What the prelude may call in the host: output, clock, randomness, text, URLs, the session's files, host calls. */

import { FsError } from "../../fs/file_system.ts";
import { WORKING_DIRECTORY } from "../../fs/places.ts";
import { DISPLAY_OPERATION } from "../../host_calls/display.ts";
import { HostCallError, type HostReply, type RuntimeHost } from "../runtime.ts";
import type { Value } from "./abi.ts";
import { type Engine, GuestError, type HostFunction } from "./engine.ts";

// Taken at load time: a locked-down Worker has none on its global object.
const HostURL = URL;

const MOST_RANDOM_BYTES = 65_536;
const encoder = new TextEncoder();

const URL_FIELDS = [
  "href",
  "origin",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
] as const;
type UrlField = Exclude<typeof URL_FIELDS[number], "origin">;

/** The table the prelude receives. Every function checks its arguments: a guest can get at the table. */
export function hostFunctions(host: RuntimeHost, engine: () => Engine): Record<string, HostFunction> {
  const text = (value: Value | undefined) => value === undefined ? "" : engine().toString(value);
  const number = (value: Value | undefined) => value === undefined ? NaN : engine().toNumber(value);
  const flag = (value: Value | undefined) => number(value) === 1;
  const bytes = (value: Value | undefined) =>
    value === undefined ? new Uint8Array(0) : engine().toBytes(value);

  return {
    write: ([stream, line]) => {
      if (line === undefined) return;
      host.write(number(stream) === 2 ? "stderr" : "stdout", engine().toUtf8(line));
    },
    writeBytes: ([stream, data]) => host.write(number(stream) === 2 ? "stderr" : "stdout", bytes(data)),
    cwd: () => engine().string(host.cwd ?? WORKING_DIRECTORY),
    now: () => engine().number(Number(host.clock.monotonic()) / 1e6),
    random: ([count]) => {
      const random = new Uint8Array(Math.min(Math.max(0, Math.trunc(number(count)) || 0), MOST_RANDOM_BYTES));
      host.random(random);
      return engine().arrayBuffer(random);
    },

    encode: ([value]) =>
      engine().arrayBuffer(value === undefined ? new Uint8Array(0) : engine().toUtf8(value)),
    decode: ([data, fatal]) => {
      try {
        const decoder = new TextDecoder("utf-8", { fatal: flag(fatal), ignoreBOM: true });
        return engine().string(decoder.decode(bytes(data)));
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        throw new GuestError("The encoded data was not valid utf-8", { name: "TypeError" });
      }
    },

    parseUrl: ([url, base]) => {
      const start = text(base);
      return describeUrl(
        engine(),
        () => start === "" ? new HostURL(text(url)) : new HostURL(text(url), start),
      );
    },
    setUrl: ([href, field, value]) =>
      describeUrl(engine(), () => {
        const url = new HostURL(text(href));
        const name = text(field);
        if ((URL_FIELDS as readonly string[]).includes(name) && name !== "origin") {
          url[name as UrlField] = text(value);
        }
        return url;
      }),

    promiseState: ([value]) => {
      const found = value === undefined ? undefined : engine().promise(value);
      if (found && "value" in found) engine().free(found.value);
      return engine().string(found?.state ?? "none");
    },
    promiseValue: ([value]) => {
      const found = value === undefined ? undefined : engine().promise(value);
      return found && "value" in found ? found.value : undefined;
    },

    readFile: ([path]) => engine().arrayBuffer(files(() => host.fs.readFile(text(path)))),
    writeFile: ([path, data]) => files(() => host.fs.writeFile(text(path), bytes(data))),
    appendFile: ([path, data]) => files(() => host.fs.appendFile(text(path), bytes(data))),
    exists: ([path]) => engine().number(host.fs.exists(text(path)) ? 1 : 0),
    stat: ([path, follow]) => {
      const { size, mode, ino, links, type, atime, mtime, ctime } = files(() =>
        host.fs.stat(text(path), { follow: flag(follow) })
      );
      const [atimeMs, mtimeMs, ctimeMs] = [atime, mtime, ctime].map((time) => Number(time / 1000n) / 1000);
      return engine().string(
        JSON.stringify({ size, mode, ino, nlink: links, type, atimeMs, mtimeMs, ctimeMs }),
      );
    },
    readdir: ([path]) => {
      const entries = files(() => host.fs.readdir(text(path)));
      return engine().string(JSON.stringify(entries.map(({ name, type }) => [name, type])));
    },
    mkdir: ([path, recursive]) => files(() => host.fs.mkdir(text(path), { recursive: flag(recursive) })),
    rmdir: ([path]) => files(() => host.fs.rmdir(text(path))),
    rm: ([path, recursive, force]) =>
      files(() => host.fs.rm(text(path), { recursive: flag(recursive), force: flag(force) })),
    unlink: ([path]) => files(() => host.fs.unlink(text(path))),
    rename: ([from, to]) => files(() => host.fs.rename(text(from), text(to))),
    symlink: ([target, path]) => files(() => host.fs.symlink(text(target), text(path))),
    readlink: ([path]) => engine().string(files(() => host.fs.readlink(text(path)))),
    realpath: ([path]) => engine().string(files(() => host.fs.realpath(text(path)))),

    hostCall: ([operation, request]) =>
      engine().stringFromUtf8(
        called(() => host.hostCall(text(operation), encoder.encode(text(request)))).json,
      ),
    display: ([head, data]) => {
      called(() => host.hostCall(DISPLAY_OPERATION, encoder.encode(text(head)), bytes(data)));
    },
  };
}

/** Calls the host; its refusal is raised in the guest. */
function called(call: () => HostReply): HostReply {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof HostCallError)) throw error;
    throw new GuestError(error.message, { name: "HostCallError" });
  }
}

/** Runs one file operation; its failure is raised in the guest. */
export function files<T>(operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    throw new GuestError(error.message, { code: error.code });
  }
}

function describeUrl(engine: Engine, make: () => URL): Value | undefined {
  let url: URL;
  try {
    url = make();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
  return engine.string(JSON.stringify(Object.fromEntries(URL_FIELDS.map((field) => [field, url[field]]))));
}
