/** Debian's own CPython and Node: what everybody's computing is compared with. A session is a process. */

import { AssetsError } from "../assets/errors.ts";
import { nativePython as pythonOfBuild } from "../assets/mod.ts";
import { tryRun } from "../assets/process.ts";
import { driverPath, DriverProcess, pythonDriver } from "./driver.ts";
import { type Installed, type Peer, type Ran, type Running, Unavailable } from "./peer.ts";

const LACKS = "No sandbox at all: programs may do what their user may.";

class ProcessPerSession implements Running {
  readonly #sessions = new Map<string, DriverProcess>();

  constructor(readonly start: () => DriverProcess) {}

  get pids(): readonly number[] {
    return [...this.#sessions.values()].flatMap(({ pids }) => pids);
  }

  async run(session: string, code: string): Promise<Ran> {
    const start = performance.now();
    const found = this.#sessions.get(session);
    if (found) return await found.run(session, code);
    const made = this.start();
    this.#sessions.set(session, made);
    const { output } = await made.run(session, code);
    return { output, ms: performance.now() - start };
  }

  async repeat(session: string, code: string, times: number): Promise<number[]> {
    return await this.#sessions.get(session)?.repeat(session, code, times) ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#sessions.values()) await session[Symbol.asyncDispose]();
  }
}

function installed(version: string, argv: readonly string[]): Installed {
  return {
    version,
    start: () => Promise.resolve(new ProcessPerSession(() => new DriverProcess(argv))),
  };
}

/** That of the build root, whose minor version ours has; this system's own where there is none. */
async function pythonCommand(): Promise<string[]> {
  try {
    return await pythonOfBuild();
  } catch (error) {
    if (!(error instanceof AssetsError)) throw error;
    return ["/usr/bin/python3"];
  }
}

export const nativePython: Peer = {
  name: "python3",
  what: "Debian's CPython, a process for each session",
  lacks: LACKS,
  languages: ["python"],
  native: true,
  async install() {
    const argv = await pythonCommand();
    const version = (await tryRun([...argv, "--version"]))?.trim().replace("Python ", "");
    if (version === undefined) throw new Unavailable("is not here");
    return installed(version, [...argv, "-c", await pythonDriver("native")]);
  },
};

export const nativeNode: Peer = {
  name: "node",
  what: "Node itself, a process for each session",
  lacks: LACKS,
  languages: ["javascript"],
  native: true,
  async install() {
    const version = (await tryRun(["node", "--version"]))?.trim().slice(1);
    if (version === undefined) throw new Unavailable("is not here");
    return installed(version, ["node", driverPath("native.mjs")]);
  },
};
