/** What the prelude may call in the host: output, clock, randomness, text, URLs, the session's files, host calls. */

import type { FuelMeter } from "../../control/meter.ts";
import { FsError } from "../../fs/file_system.ts";
import { timeOf } from "../../fs/times.ts";
import { WORKING_DIRECTORY } from "../../fs/places.ts";
import { DISPLAY_OPERATION } from "../../host_calls/display.ts";
import { HostCallError, type HostReply, type RuntimeHost } from "../runtime.ts";
import { runScript } from "../script_request.ts";
import type { Value } from "./abi.ts";
import { binaryText } from "./binary_text.ts";
import { GuestError } from "./guest_error.ts";
import { hashing } from "./hashing.ts";
import type { HostFunction } from "./host_table.ts";
import { intl } from "./intl.ts";
import { packing } from "./packing.ts";
import type { Values } from "./values.ts";

// Taken at load time: a locked-down Worker has none on its global object.
const HostURL = URL;

const MOST_RANDOM_BYTES = 65_536;
/** Most of standard input that is handed over at a time. */
const PIECE_MAX = 65_536;
/** Longest URL, UTF-16 units: its parts, each with its escapes, are many times as long. */
const URL_MAX = 1024 * 1024;
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
export function hostFunctions(
  host: RuntimeHost,
  values: Values,
  meter: FuelMeter,
): Record<string, HostFunction> {
  const locales = intl((fuel) => meter.charge(fuel));
  const binary = binaryText((fuel) => meter.charge(fuel));
  const look = () => {
    host.cell.throwIfAborted();
    // The guest goes on to where it is interrupted.
    if (host.cell.requested() !== "none") throw new GuestError("interrupted");
  };
  const hash = hashing((fuel) => meter.charge(fuel), look);
  const pack = packing((fuel) => meter.charge(fuel), look);
  const text = (value: Value | undefined) => values.given(value);
  const number = (value: Value | undefined) => value === undefined ? NaN : values.toNumber(value);
  const flag = (value: Value | undefined) => number(value) === 1;
  const bytes = (value: Value | undefined) => value === undefined ? new Uint8Array(0) : values.toBytes(value);

  return {
    write: ([stream, line]) => {
      if (line === undefined) return;
      host.write(number(stream) === 2 ? "stderr" : "stdout", values.toUtf8(line));
    },
    writeBytes: ([stream, data]) => host.write(number(stream) === 2 ? "stderr" : "stdout", bytes(data)),
    /** @param signals Those that the program heeds, a bit for each. @returns The next one that has come for it; 0: none. */
    takeSignal: ([signals]) => {
      if (host.signals) host.signals.heeded = number(signals) >>> 0;
      return values.number(host.signals?.take() ?? 0);
    },
    /** Whether there is something to be read, or its end; 1: the program waits for nothing else. */
    hasStdin: ([only]) => values.number((host.hasInput?.(flag(only)) ?? true) ? 1 : 0),
    readStdin: ([count]) => {
      const buffer = new Uint8Array(Math.min(Math.max(0, Math.trunc(number(count)) || 0), PIECE_MAX));
      return values.arrayBuffer(buffer.subarray(0, host.read?.(buffer) ?? 0));
    },
    /** @returns JSON; null where there is no shell. */
    runScript: ([request]) => {
      const { cell, runCommand } = host;
      if (!runCommand) return values.string("null");
      return values.string(
        JSON.stringify(runScript({ cell, meter, runCommand }, encoder.encode(text(request)))),
      );
    },
    environment: () => values.string(JSON.stringify(host.env)),
    cwd: () => values.string(host.cwd ?? WORKING_DIRECTORY),
    /** Waits as a timer does; a stop ends it. */
    wait: ([ms]) => {
      host.clock.wait(Math.max(0, number(ms)) || 0);
    },
    now: () => values.number(Number(host.clock.monotonic()) / 1e6),
    random: ([count]) => {
      const random = new Uint8Array(Math.min(Math.max(0, Math.trunc(number(count)) || 0), MOST_RANDOM_BYTES));
      host.random(random);
      return values.arrayBuffer(random);
    },

    intl: ([request]) => values.string(locales(text(request))),
    crc32: ([data, start]) => values.number(hash.crc32(bytes(data), number(start))),
    adler32: ([data, start]) => values.number(hash.adler32(bytes(data), number(start))),
    hashBlocks: ([name, state, data]) =>
      values.arrayBuffer(hash.hashBlocks(text(name), bytes(state), bytes(data))),
    hashEnd: ([name, state, rest, length]) =>
      values.arrayBuffer(hash.hashEnd(text(name), bytes(state), bytes(rest), number(length))),
    keccakBlocks: ([rate, state, data]) =>
      values.arrayBuffer(hash.keccakBlocks(number(rate), bytes(state), bytes(data))),
    pbkdf2Rounds: ([name, inner, outer, block, rounds]) =>
      values.arrayBuffer(
        hash.pbkdf2Rounds(text(name), bytes(inner), bytes(outer), bytes(block), number(rounds)),
      ),
    pack: ([format, level, data]) => values.arrayBuffer(pack(text(format), number(level), bytes(data))),
    modPow: ([base, exponent, modulus]) =>
      values.string(hash.modPow(text(base), text(exponent), text(modulus))),
    scrypt: ([password, salt, n, r, p, length]) =>
      values.arrayBuffer(hash.scrypt(bytes(password), bytes(salt), [n, r, p, length].map(number))),

    encode: ([value]) => values.arrayBuffer(value === undefined ? new Uint8Array(0) : values.toUtf8(value)),
    decode: ([data, fatal]) => {
      try {
        const decoder = new TextDecoder("utf-8", { fatal: flag(fatal), ignoreBOM: true });
        return values.string(decoder.decode(bytes(data)));
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        throw new GuestError("The encoded data was not valid utf-8", { name: "TypeError" });
      }
    },

    bytesToText: ([encoding, data]) => values.string(binary.bytesToText(text(encoding), bytes(data))),
    encodingNamed: ([label]) => {
      const name = binary.encodingNamed(text(label));
      return name === undefined ? undefined : values.string(name);
    },
    decodeText: ([label, data, fatal]) =>
      values.arrayBuffer(binary.decodeText(text(label), bytes(data), flag(fatal))),
    textToBytes: ([encoding, value]) => {
      const made = binary.textToBytes(text(encoding), text(value));
      return made && values.arrayBuffer(made);
    },

    parseUrl: ([url, base]) => {
      const [given, start] = [text(url), text(base)];
      if (given.length + start.length > URL_MAX) return undefined;
      return describeUrl(values, () => start === "" ? new HostURL(given) : new HostURL(given, start));
    },
    setUrl: ([href, field, value]) => {
      const [given, name, part] = [text(href), text(field), text(value)];
      if (given.length + part.length > URL_MAX) return undefined;
      return describeUrl(values, () => {
        const url = new HostURL(given);
        if ((URL_FIELDS as readonly string[]).includes(name) && name !== "origin") {
          url[name as UrlField] = part;
        }
        return url;
      });
    },

    promiseState: ([value]) => {
      const found = value === undefined ? undefined : values.promise(value);
      if (found && "value" in found) values.free(found.value);
      return values.string(found?.state ?? "none");
    },
    promiseValue: ([value]) => {
      const found = value === undefined ? undefined : values.promise(value);
      return found && "value" in found ? found.value : undefined;
    },

    givesEntries: ([value]) => values.number(value !== undefined && values.givesEntries(value) ? 1 : 0),

    readFile: ([path]) => values.arrayBuffer(files(() => host.fs.readFile(text(path)))),
    readAt: ([path, position, length]) =>
      values.arrayBuffer(
        files(() => {
          using file = host.fs.open(text(path), { read: true });
          const most = Math.max(0, Number(file.stat().size) - number(position));
          const buffer = new Uint8Array(Math.min(Math.max(0, Math.trunc(number(length)) || 0), most));
          return buffer.subarray(0, file.readAt(buffer, number(position)));
        }),
      ),
    writeAt: ([path, position, data]) =>
      files(() => {
        using file = host.fs.open(text(path), { write: true });
        file.writeAt(bytes(data), number(position));
      }),
    truncate: ([path, size]) => files(() => host.fs.truncate(text(path), number(size))),
    chmod: ([path, mode, follow]) =>
      files(() => host.fs.chmod(text(path), number(mode) & 0o7777, { follow: flag(follow) })),
    utimes: ([path, atime, mtime, follow]) =>
      files(() =>
        host.fs.setTimes(
          text(path),
          { atime: timeOf(number(atime)), mtime: timeOf(number(mtime)) },
          { follow: flag(follow) },
        )
      ),
    link: ([from, to]) => files(() => host.fs.link(text(from), text(to))),
    writeFile: ([path, data]) => files(() => host.fs.writeFile(text(path), bytes(data))),
    appendFile: ([path, data]) => files(() => host.fs.appendFile(text(path), bytes(data))),
    exists: ([path]) => values.number(host.fs.exists(text(path)) ? 1 : 0),
    stat: ([path, follow]) => {
      const { size, mode, ino, links, type, atime, mtime, ctime } = files(() =>
        host.fs.stat(text(path), { follow: flag(follow) })
      );
      const [atimeMs, mtimeMs, ctimeMs] = [atime, mtime, ctime].map((time) => Number(time / 1000n) / 1000);
      return values.string(
        JSON.stringify({ size, mode, ino, nlink: links, type, atimeMs, mtimeMs, ctimeMs }),
      );
    },
    readdir: ([path]) => {
      const entries = files(() => host.fs.readdir(text(path)));
      return values.string(JSON.stringify(entries.map(({ name, type }) => [name, type])));
    },
    mkdir: ([path, recursive]) => files(() => host.fs.mkdir(text(path), { recursive: flag(recursive) })),
    rmdir: ([path]) => files(() => host.fs.rmdir(text(path))),
    rm: ([path, recursive, force]) =>
      files(() => host.fs.rm(text(path), { recursive: flag(recursive), force: flag(force) })),
    unlink: ([path]) => files(() => host.fs.unlink(text(path))),
    rename: ([from, to]) => files(() => host.fs.rename(text(from), text(to))),
    symlink: ([target, path]) => files(() => host.fs.symlink(text(target), text(path))),
    readlink: ([path]) => values.string(files(() => host.fs.readlink(text(path)))),
    realpath: ([path]) => values.string(files(() => host.fs.realpath(text(path)))),

    hostCall: ([operation, request]) =>
      values.stringFromUtf8(
        called(() => host.hostCall(text(operation), encoder.encode(text(request)))).json,
      ),
    /** The answer's JSON; or its bytes, where it has any. */
    socketCall: ([operation, request, data]) => {
      const sent = encoder.encode(text(request));
      const reply = called(() => host.hostCall(text(operation), sent, bytes(data)));
      return reply.bytes.length > 0 ? values.arrayBuffer(reply.bytes) : values.stringFromUtf8(reply.json);
    },
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

function describeUrl(values: Values, make: () => URL): Value | undefined {
  let url: URL;
  try {
    url = make();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
  return values.string(JSON.stringify(Object.fromEntries(URL_FIELDS.map((field) => [field, url[field]]))));
}
