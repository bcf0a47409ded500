/** Lets a program run until a test wants it to end: it looks for a file in a directory that its session sees. */

export class Gate implements Disposable {
  readonly #directory = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "wasmbox-gate-" }));

  /** JavaScript that waits until the gate is open. */
  static readonly WAIT =
    `while (!require("fs").existsSync("/data/gate/open")) await new Promise((done) => setTimeout(done, 10));`;

  /** What the server is to map: for --volume and WASMBOX_VOLUMES. */
  get volume(): string {
    return `${this.#directory}:/data/gate`;
  }

  open(): void {
    Deno.writeTextFileSync(`${this.#directory}/open`, "");
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.#directory, { recursive: true });
  }
}
