/** A Unix socket that only the user that runs this process can reach, in a directory for it alone. */

const PREFIX = "wasmbox-http-";
const NAME = "socket";
/** No other process is that long between making its directory and listening in it. */
const SETTLED_MS = 60_000;

export class PrivateSocket {
  readonly path: string;
  readonly #directory: string;

  /** @throws If there is no directory for temporary files, or none to write to. */
  constructor() {
    this.#directory = Deno.makeTempDirSync({ prefix: PREFIX }); // mode 0700
    this.path = `${this.#directory}/${NAME}`;
    removeAbandoned(this.#directory.slice(0, this.#directory.lastIndexOf("/"))).catch(() => {}); // they do no harm
  }

  remove(): void {
    try {
      Deno.removeSync(this.#directory, { recursive: true });
    } catch {
      // others clean up there too
    }
  }
}

/** Removes what processes left that were killed. */
async function removeAbandoned(parent: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(parent)) {
    if (!isDirectory || !name.startsWith(PREFIX)) continue;
    const directory = `${parent}/${name}`;
    const { uid, mtime } = await Deno.lstat(directory);
    if (uid !== Deno.uid() || mtime === null || Date.now() - mtime.getTime() < SETTLED_MS) continue;
    if (await isAbandoned(`${directory}/${NAME}`)) await Deno.remove(directory, { recursive: true });
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    (await Deno.connect({ transport: "unix", path })).close();
    return false;
  } catch (error) {
    return error instanceof Deno.errors.ConnectionRefused || error instanceof Deno.errors.NotFound;
  }
}
