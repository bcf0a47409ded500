/**
 * What a script expects to find outside of the session's own files: a program for each command, and the few system
 * files that scripts look at. They are made up when read and take nothing of the quota; other languages do not see
 * them.
 */

import { bytesOfText } from "./bytes.ts";

export type VirtualNode =
  | { readonly type: "directory"; readonly names: () => readonly string[] }
  | { readonly type: "file"; readonly mode: number; readonly read: () => Uint8Array };

/** Bytes that reading a device without an end gives: commands read whole files. */
const ENDLESS_BYTES = 1024 * 1024;

const text = (content: string): VirtualNode => ({
  type: "file",
  mode: 0o444,
  read: () => bytesOfText(content),
});

const directory = (...names: string[]): VirtualNode => ({ type: "directory", names: () => names });

const SYSTEM: Readonly<Record<string, VirtualNode>> = {
  "/etc": directory("group", "hostname", "hosts", "os-release", "passwd"),
  "/etc/group": text("root:x:0:\nuser:x:1000:\n"),
  "/etc/hostname": text("wasmbox\n"),
  "/etc/hosts": text("127.0.0.1 localhost\n"),
  "/etc/os-release": text('NAME="wasmbox"\nID=wasmbox\nPRETTY_NAME="wasmbox sandbox"\n'),
  "/etc/passwd": text("root:x:0:0:root:/root:/bin/bash\nuser:x:1000:1000:user:/app:/bin/bash\n"),
  "/proc": directory("cpuinfo", "self", "version"),
  "/proc/cpuinfo": text("processor\t: 0\nmodel name\t: WebAssembly\n"),
  "/proc/self": directory("cmdline", "comm", "status"),
  "/proc/self/cmdline": text("bash\0"),
  "/proc/self/comm": text("bash\n"),
  "/proc/self/status": text("Name:\tbash\nPid:\t1\nPPid:\t0\nUid:\t1000\t1000\t1000\t1000\n"),
  "/proc/version": text("Linux version 6.1.0-wasmbox\n"),
};

const PROGRAM = /^\/(?:usr\/)?bin\/([^/]+)$/;

export class VirtualFiles {
  readonly #commands = new Set<string>();

  /** @param random Fills the bytes of `/dev/urandom`. */
  constructor(readonly random: (bytes: Uint8Array) => void) {}

  /** Names of the commands that have a program in `/bin` and `/usr/bin`. */
  setCommands(names: Iterable<string>): void {
    for (const name of names) this.#commands.add(name);
  }

  /** @param path Absolute and normal. */
  find(path: string): VirtualNode | undefined {
    if (path === "/bin" || path === "/usr/bin") {
      return { type: "directory", names: () => [...this.#commands].sort() };
    }
    if (path === "/dev/zero") return this.#endless(() => {});
    if (path === "/dev/random" || path === "/dev/urandom") return this.#endless(this.random);
    if (path === "/dev/null") return { type: "file", mode: 0o666, read: () => new Uint8Array(0) };
    const program = PROGRAM.exec(path)?.[1];
    if (program !== undefined && this.#commands.has(program)) {
      return {
        type: "file",
        mode: 0o755,
        read: () => bytesOfText(`#!/bin/bash\n# the command ${program}\n`),
      };
    }
    return Object.hasOwn(SYSTEM, path) ? SYSTEM[path] : undefined;
  }

  /** Names to be listed in a directory besides those of real files. */
  namesIn(path: string): readonly string[] {
    if (path === "/") return ["bin", "etc", "proc"];
    return path === "/usr" ? ["bin"] : [];
  }

  #endless(fill: (bytes: Uint8Array) => void): VirtualNode {
    return {
      type: "file",
      mode: 0o666,
      read: () => {
        const bytes = new Uint8Array(ENDLESS_BYTES);
        fill(bytes);
        return bytes;
      },
    };
  }
}
