/** Directories of the host, as tests have them mapped into sessions. */

import assert from "node:assert/strict";

/** Of `ro/sparse`, which ends with "last". */
export const SPARSE_BYTES = 10 * 1024 ** 3;

/** What is mapped, and what must not be reached from there. */
export class MappedHost implements Disposable {
  readonly directory = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "wasmbox-volumes-" }));

  constructor() {
    for (const name of ["ro/sub", "ro/many", "rw", "alice", "outside"]) {
      Deno.mkdirSync(this.at(name), { recursive: true });
    }
    this.write("ro/sub/f.txt", "hello\n");
    this.write("ro/lines", "one\ntwo\nthree\n");
    this.write("outside/secret", "the secret\n");
    this.write("alice/only", "hers\n");
    this.write("external.csv", "a,b\n1,2\n");
    this.link("sub/f.txt", "ro/inside");
    this.link("sub", "ro/directory");
    this.link(this.at("outside/secret"), "ro/absolute");
    this.link("../outside", "ro/up");
    this.link("loop", "ro/loop");
    using sparse = Deno.openSync(this.at("ro/sparse"), { write: true, create: true });
    sparse.seekSync(SPARSE_BYTES - 4, Deno.SeekMode.Start);
    sparse.writeSync(new TextEncoder().encode("last"));
    this.shell("mkfifo ro/fifo");
  }

  shell(script: string): void {
    const { success } = new Deno.Command("sh", { args: ["-ec", script], cwd: this.directory }).outputSync();
    assert.ok(success, script);
  }

  at(path: string): string {
    return `${this.directory}/${path}`;
  }

  read(path: string): string {
    return Deno.readTextFileSync(this.at(path));
  }

  write(path: string, text: string): void {
    Deno.writeTextFileSync(this.at(path), text);
  }

  link(target: string, path: string): void {
    Deno.symlinkSync(target, this.at(path));
  }

  [Symbol.dispose](): void {
    this.shell(`rm -rf "${this.directory}"`);
  }
}

/** The arguments of the server's command; from source it is not allowed to write without asking for it. */
export function mayWrite(args: readonly string[]): string[] {
  return args[0] === "run" ? ["run", "--allow-write", ...args.slice(1)] : [...args];
}
