/** A client's own file: read whole, replaced whole, with what was there before beside it. */

import { InstallError } from "./errors.ts";

/** Files that are meant to be read by people are far smaller. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Of a file that did not exist; it may come to hold secrets of other servers. */
const MODE = 0o600;

export class ConfigFile {
  private constructor(
    /** Where it is in the end: links stay. */
    readonly path: string,
    /** Absent: there is none. */
    readonly bytes: Uint8Array | undefined,
  ) {}

  /** @throws {InstallError} if it is there and can't be read. */
  static async open(path: string): Promise<ConfigFile> {
    try {
      const real = await Deno.realPath(path);
      const { isFile, size } = await Deno.stat(real);
      if (!isFile) throw new InstallError("it is no file");
      if (size > MAX_BYTES) throw new InstallError("it is too large for a file of settings");
      return new ConfigFile(real, await Deno.readFile(real));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return new ConfigFile(path, undefined);
      if (error instanceof InstallError) throw error;
      throw new InstallError(`it can't be read: ${messageOf(error)}`);
    }
  }

  /** @throws {InstallError} if it is not UTF-8: writing it again would change it. */
  get text(): string {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
        this.bytes ?? new Uint8Array(),
      );
    } catch {
      throw new InstallError("it is not UTF-8");
    }
  }

  /** Copies it to a name of its own beside it. @returns Its path; undefined if there is nothing to copy. */
  async keep(kind: "backup" | "undo"): Promise<string | undefined> {
    if (this.bytes === undefined) return undefined;
    const copy = `${this.path}.wasmbox-${kind}-${stamp()}`;
    await this.#create(copy, this.bytes);
    return copy;
  }

  /** Its newest copy of {@link keep}. */
  async newestBackup(): Promise<ConfigFile | undefined> {
    const [directory, name] = split(this.path);
    const copies: string[] = [];
    try {
      for await (const entry of Deno.readDir(directory)) {
        if (entry.isFile && entry.name.startsWith(`${name}.wasmbox-backup-`)) copies.push(entry.name);
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw new InstallError(messageOf(error));
    }
    const newest = copies.sort().at(-1);
    return newest === undefined ? undefined : await ConfigFile.open(`${directory}/${newest}`);
  }

  /**
   * Replaces it at once.
   *
   * @throws {InstallError} if somebody has changed it since it was read, or it can't be written.
   */
  async replace(bytes: Uint8Array): Promise<void> {
    const fresh = `${this.path}.wasmbox-new-${crypto.randomUUID().slice(0, 8)}`;
    try {
      if (this.bytes === undefined) await Deno.mkdir(split(this.path)[0], { recursive: true });
      await this.#create(fresh, bytes);
      await this.#checkUnchanged();
      await Deno.rename(fresh, this.path);
    } catch (error) {
      await Deno.remove(fresh).catch(() => {});
      if (error instanceof InstallError) throw error;
      throw new InstallError(`it can't be written: ${messageOf(error)}`);
    }
  }

  /** @throws {InstallError} as {@link replace} does. */
  async remove(): Promise<void> {
    await this.#checkUnchanged();
    await Deno.remove(this.path);
  }

  async #checkUnchanged(): Promise<void> {
    const now = await ConfigFile.open(this.path);
    const same = this.bytes === undefined || now.bytes === undefined
      ? this.bytes === now.bytes
      : now.bytes.length === this.bytes.length && now.bytes.every((byte, at) => byte === this.bytes![at]);
    if (!same) throw new InstallError("it was changed by someone else just now; try again");
  }

  /** A new file that whoever may read this one may read, and nobody else. */
  async #create(path: string, bytes: Uint8Array): Promise<void> {
    const info = this.bytes === undefined ? undefined : await Deno.stat(this.path);
    const mode = (info?.mode ?? MODE) & 0o777;
    using file = await Deno.open(path, { write: true, createNew: true, mode: mode & 0o600 | 0o200 });
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    await file.sync();
    if (Deno.build.os === "windows" || !info) return;
    if (info.uid !== null && info.uid !== Deno.uid()) await Deno.chown(path, info.uid, info.gid);
    await Deno.chmod(path, mode);
  }
}

function split(path: string): [directory: string, name: string] {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return [path.slice(0, at) || (at < 0 ? "." : "/"), path.slice(at + 1)];
}

/** Sorts as time goes; the last digits tell two of one second apart. */
function stamp(): string {
  return new Date().toISOString().replaceAll(/[-:.]/g, "");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
