/** What must stay unseen and unchanged on the host: a file, an environment variable, a socket. */

import { BUNDLED } from "../program/entries.ts";

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="40"><rect id="a" width="300" height="40" fill="red"/></svg>';

/** Names a directory on the host, random text, and where both must not appear. */
export class Canaries implements AsyncDisposable {
  readonly hostDirectory: string;
  readonly hostFile: string;
  /** One that can be seen, where it is shown. */
  readonly hostPicture: string;
  readonly fileSecret: string = randomSecret();
  readonly environmentSecret: string = randomSecret();
  readonly sessionSecret: string = randomSecret();
  readonly #listener: Deno.TcpListener;
  readonly #markers: readonly Marker[];
  readonly #accepting: Promise<void>;
  readonly #sightings = new Set<string>();
  #connections = 0;

  private constructor(directory: string, listener: Deno.TcpListener) {
    this.hostDirectory = directory;
    this.hostFile = `${directory}/canary.txt`;
    this.hostPicture = `${directory}/canary.svg`;
    this.#listener = listener;
    this.#accepting = this.#accept();
    this.#markers = [
      { text: this.fileSecret, what: "the contents of the host's file" },
      { text: this.environmentSecret, what: "the server's environment" },
      { text: this.sessionSecret, what: "another session's secret" },
      { text: Deno.execPath(), what: "the path of the program" },
      { text: ownDirectory(), what: "the path of the server's modules" },
      { text: "ext:core/", what: "a stack of the server" },
    ];
  }

  /** @param within Where their directory is made; among temporary ones if absent. */
  static async plant(within?: string): Promise<Canaries> {
    const directory = await Deno.makeTempDir({ ...(within && { dir: within }), prefix: "canary-" });
    const canaries = new Canaries(directory, Deno.listen({ hostname: "127.0.0.1", port: 0 }));
    await Deno.writeTextFile(canaries.hostFile, canaries.fileSecret);
    await Deno.writeTextFile(canaries.hostPicture, PICTURE);
    await Deno.writeTextFile(`${directory}/canary_module.py`, `secret = "${canaries.fileSecret}"\n`);
    await Deno.writeTextFile(
      `${directory}/canary_module.js`,
      `export default "${canaries.fileSecret}";\n`,
    );
    return canaries;
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  /** Code with the canaries' places filled in. */
  fill(code: string): string {
    return code
      .replaceAll("$HOST_FILE", JSON.stringify(this.hostFile))
      .replaceAll("$HOST_DIRECTORY", JSON.stringify(this.hostDirectory))
      .replaceAll("$PORT", String(this.port));
  }

  /** Looks for what must not be in a line that came from the server. */
  watch(line: string): void {
    for (const { text, what } of this.#markers) {
      if (line.includes(text)) this.#sightings.add(what);
    }
  }

  /** What was seen or touched since the last look. */
  async complaints(): Promise<string[]> {
    const complaints = [...this.#sightings].map((what) => `the server told ${what}`);
    this.#sightings.clear();
    if (this.#connections > 0) complaints.push("a connection reached the host");
    this.#connections = 0;
    const names = (await Array.fromAsync(Deno.readDir(this.hostDirectory), ({ name }) => name)).sort();
    if (names.join() !== "canary.svg,canary.txt,canary_module.js,canary_module.py") {
      complaints.push(`the host's directory holds ${names.join(", ")}`);
    }
    const text = await Deno.readTextFile(this.hostFile).catch(() => "");
    if (text !== this.fileSecret) complaints.push("the host's file was changed");
    return complaints;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    await Deno.remove(this.hostDirectory, { recursive: true });
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) {
      this.#connections++;
      connection.close();
    }
  }
}

interface Marker {
  readonly text: string;
  readonly what: string;
}

function randomSecret(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

/** Where the server's own modules lie; of bundles the place that they are in, or pretend to be in. */
function ownDirectory(): string {
  const path = decodeURIComponent(new URL(BUNDLED ? "./" : "../", import.meta.url).pathname);
  return path.replace(/\/$/, "");
}
