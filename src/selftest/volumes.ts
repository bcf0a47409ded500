/** Directories of the host that the attacked server maps: traps in them, and whether they are as they were. */

import type { Canaries } from "./canaries.ts";

/** Most that sessions may add to `/data/writable`; more than one attack needs, and all of them together. */
const WRITABLE_BYTES = 256 * 1024 * 1024;
/** Most that sessions may add to `/data/narrow`. */
const NARROW_BYTES = 256 * 1024;
/** As a volume counts them: what a new entry costs beside its contents. */
const ENTRY_BYTES = 4096;
/** Entries of `/data/readonly/many`: more than one piece of a listing has. */
export const MANY = 5_100;
/** A name of control characters is six times as long in JSON. */
export const MANY_NAME = "\u0001".repeat(240);
const SPARSE_BYTES = 2 ** 33;

/**
 * `/data/readonly`, `/data/writable`, `/data/narrow` (small), `/data/foreign` (another principal's) and
 * `/external/known.txt`. Links in them lead to the canaries' directory, by every way a link can.
 */
export class MappedVolumes {
  /** How everything looked when it was planted. */
  #fixed = "";
  #writable = "";

  private constructor(readonly directory: string, readonly canaries: Canaries) {}

  /** @param within Where their directory is made, and not removed again. */
  static async plant(within: string, canaries: Canaries): Promise<MappedVolumes> {
    const directory = await Deno.realPath(await Deno.makeTempDir({ dir: within, prefix: "volumes-" }));
    const volumes = new MappedVolumes(directory, canaries);
    await volumes.#plantReadOnly();
    await volumes.#plantOthers();
    await volumes.#plantWritable();
    volumes.#fixed = await volumes.#lookAtFixed();
    return volumes;
  }

  /** What mcp.toml says of them. */
  get configuration(): string {
    const volume = (name: string, more: string) =>
      `[[volumes]]\nhost = ${JSON.stringify(this.#at(name))}\npath = "/data/${name}"\n${more}\n`;
    return [
      `external_files = [${JSON.stringify(this.#at("readonly/known.txt"))}]\n`,
      volume("readonly", ""),
      volume("writable", `writable = true\nmax_bytes = ${WRITABLE_BYTES}`),
      volume("narrow", `writable = true\nmax_bytes = ${NARROW_BYTES}`),
      volume("foreign", `writable = true\nprincipals = ["somebody else"]`),
    ].join("");
  }

  /** What the server must be permitted to write to. */
  get writable(): readonly string[] {
    return ["writable", "narrow", "foreign"].map((name) => this.#at(name));
  }

  /** What is wrong with them since the last look; afterwards sessions find them as planted. */
  async complaints(): Promise<string[]> {
    const complaints: string[] = [];
    const narrow = await sizeOf(this.#at("narrow"));
    if (narrow > NARROW_BYTES) complaints.push(`sessions filled a volume with ${narrow} bytes`);
    const fixed = await this.#lookAtFixed();
    if (fixed !== this.#fixed) complaints.push(`what sessions can't write to has changed: ${fixed}`);
    this.#fixed = fixed;
    if (await this.#look("writable") !== this.#writable) await this.#plantWritable();
    return complaints;
  }

  async #plantReadOnly(): Promise<void> {
    await Deno.mkdir(this.#at("readonly/sub/inner"), { recursive: true });
    await Deno.mkdir(this.#at("readonly/many"));
    await Deno.writeTextFile(this.#at("readonly/known.txt"), "known");
    await Deno.writeTextFile(this.#at("readonly/sub/inner/known.txt"), "known");
    await this.#plantLinks("readonly");
    await Deno.writeTextFile(this.#at("readonly/sparse"), "");
    await Deno.truncate(this.#at("readonly/sparse"), SPARSE_BYTES).catch(() => {}); // not every disk can
    await this.#plantPipe();
    for (let n = 0; n < MANY; n++) Deno.writeTextFileSync(this.#at(`readonly/many/${n}${MANY_NAME}`), "");
  }

  /** Opening it would wait for its other end. */
  async #plantPipe(): Promise<void> {
    const made = new Deno.Command("mkfifo", { args: [this.#at("readonly/pipe")], stderr: "null" }).output();
    await made.catch(() => {}); // not every system has them
  }

  async #plantOthers(): Promise<void> {
    await Deno.mkdir(this.#at("foreign"));
    await Deno.writeTextFile(this.#at("foreign/canary.txt"), this.canaries.fileSecret);
    await Deno.mkdir(this.#at("narrow"));
  }

  /** `near/d` and `far/d` are a directory and a link: whoever renames `near` and `far` swaps them. */
  async #plantWritable(): Promise<void> {
    await Deno.remove(this.#at("writable"), { recursive: true }).catch(() => {});
    await Deno.mkdir(this.#at("writable/near/d"), { recursive: true });
    await Deno.writeTextFile(this.#at("writable/near/d/canary.txt"), "known");
    await Deno.mkdir(this.#at("writable/far"));
    await Deno.symlink(this.canaries.hostDirectory, this.#at("writable/far/d"));
    await this.#plantLinks("writable");
    this.#writable = await this.#look("writable");
  }

  async #plantLinks(volume: string): Promise<void> {
    const outside = this.canaries.hostDirectory;
    const up = "../".repeat(this.#at(volume).split("/").length);
    const links: Readonly<Record<string, string>> = {
      directory: outside,
      file: `${outside}/canary.txt`,
      up: `${up}${outside.slice(1)}`,
      parent: "..",
      above: up,
      other: "../foreign",
      chain: "chained",
      chained: "directory",
      loop: "loop",
      itself: "./itself/x",
      dots: "./././up/canary.txt",
      environment: "/proc/self/environ",
    };
    for (const [name, target] of Object.entries(links)) {
      await Deno.symlink(target, this.#at(`${volume}/${name}`));
    }
  }

  async #lookAtFixed(): Promise<string> {
    return `${await this.#look("readonly")}\n${await this.#look("foreign")}`;
  }

  /** What is below a directory, as far as it is worth a look. */
  async #look(directory: string): Promise<string> {
    const lines: string[] = [];
    for await (const { name, isDirectory, isSymlink } of Deno.readDir(this.#at(directory))) {
      const path = `${directory}/${name}`;
      const { size, mtime } = await Deno.lstat(this.#at(path));
      if (isSymlink) lines.push(`${path} → ${await Deno.readLink(this.#at(path))}`);
      else if (isDirectory && name !== "many") lines.push(`${path}/`, await this.#look(path));
      else lines.push(`${path}: ${isDirectory ? "" : `${size} bytes `}of ${mtime?.getTime()}`);
    }
    return lines.sort().join("\n");
  }

  #at(path: string): string {
    return `${this.directory}/${path}`;
  }
}

/** Of all that is below a directory, as a volume counts it. */
async function sizeOf(directory: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory, isFile } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    bytes += ENTRY_BYTES;
    if (isDirectory) bytes += await sizeOf(path);
    else if (isFile) bytes += (await Deno.lstat(path)).size;
  }
  return bytes;
}
