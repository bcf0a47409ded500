/**
 * The session's file system as just-bash wants it: asynchronous in form, synchronous in fact.
 *
 * Each operation looks at the control cell: most commands are loops over files.
 */

import type { IFileSystem } from "./just_bash.ts";
import { type FileSystem, FsError, type Stat } from "../../fs/file_system.ts";
import { timeOf } from "../../fs/times.ts";
import { bytesOfLatin1, bytesOfText, latin1Of, textOf } from "./bytes.ts";
import type { StopSign } from "../../control/stop_sign.ts";
import type { VirtualFiles, VirtualNode } from "./virtual_files.ts";

type Content = Parameters<IFileSystem["writeFile"]>[1];
type Encoding = Parameters<IFileSystem["writeFile"]>[2];
type ByteText = Awaited<ReturnType<NonNullable<IFileSystem["readFileBytes"]>>>;
type ShellStat = Awaited<ReturnType<IFileSystem["stat"]>>;

const EPOCH = new Date(0);

export class ShellFileSystem implements IFileSystem {
  readonly #fs: FileSystem;
  readonly #virtual: VirtualFiles;
  readonly #stop: StopSign;

  constructor(fs: FileSystem, virtual: VirtualFiles, stop: StopSign) {
    this.#fs = fs;
    this.#virtual = virtual;
    this.#stop = stop;
  }

  // Reading

  // deno-lint-ignore require-await
  async readFile(path: string, options?: Parameters<IFileSystem["readFile"]>[1]): Promise<string> {
    const bytes = this.bytes(path);
    const encoding = typeof options === "string" ? options : options?.encoding ?? "utf8";
    return encoding === "binary" || encoding === "latin1" ? latin1Of(bytes) : textOf(bytes);
  }

  // deno-lint-ignore require-await
  async readFileBuffer(path: string): Promise<Uint8Array> {
    return this.bytes(path);
  }

  // deno-lint-ignore require-await
  async readFileBytes(path: string): Promise<ByteText> {
    return latin1Of(this.bytes(path)) as unknown as ByteText;
  }

  /** A whole file. @throws {FsError} */
  bytes(path: string): Uint8Array {
    this.#stop.check();
    const node = this.#virtual.find(path);
    if (node === undefined) return this.#fs.readFile(path);
    if (node.type === "directory") throw new FsError("EISDIR", path);
    return node.read();
  }

  // Writing

  // deno-lint-ignore require-await
  async writeFile(path: string, content: Content, options?: Encoding): Promise<void> {
    this.#stop.check();
    if (path !== "/dev/null") this.#fs.writeFile(this.#writable(path), encode(content, options));
  }

  // deno-lint-ignore require-await
  async appendFile(path: string, content: Content, options?: Encoding): Promise<void> {
    this.#stop.check();
    if (path !== "/dev/null") this.#fs.appendFile(this.#writable(path), encode(content, options));
  }

  // deno-lint-ignore require-await
  async mkdir(path: string, options: { recursive?: boolean } = {}): Promise<void> {
    this.#stop.check();
    if (this.#virtual.find(path)) {
      if (options.recursive) return;
      throw new FsError("EEXIST", path);
    }
    this.#fs.mkdir(path, options);
  }

  // deno-lint-ignore require-await
  async rm(path: string, options: { recursive?: boolean; force?: boolean } = {}): Promise<void> {
    this.#stop.check();
    this.#fs.rm(this.#writable(path), options);
  }

  async cp(from: string, to: string, options: { recursive?: boolean } = {}): Promise<void> {
    this.#stop.check();
    const { isDirectory, mode } = await this.stat(from);
    if (!isDirectory) {
      this.#fs.writeFile(this.#writable(to), this.bytes(from));
      this.#fs.chmod(to, mode);
      return;
    }
    if (!options.recursive) throw new FsError("EISDIR", from);
    // A copy into itself would never end.
    if (`${to}/`.startsWith(`${from}/`)) throw new FsError("EINVAL", to);
    this.#fs.mkdir(this.#writable(to), { recursive: true });
    for (const name of await this.readdir(from)) {
      const source = `${from}/${name}`;
      if ((await this.lstat(source)).isSymbolicLink) {
        this.#fs.symlink(this.#fs.readlink(source), `${to}/${name}`);
      } else await this.cp(source, `${to}/${name}`, options);
    }
  }

  async mv(from: string, to: string): Promise<void> {
    this.#stop.check();
    try {
      return this.#fs.rename(this.#writable(from), this.#writable(to));
    } catch (error) {
      if (!(error instanceof FsError && error.code === "EXDEV")) throw error;
    }
    await this.cp(from, to, { recursive: true }); // to another volume, or from one
    this.#fs.rm(from, { recursive: true });
  }

  // deno-lint-ignore require-await
  async chmod(path: string, mode: number): Promise<void> {
    this.#fs.chmod(this.#writable(path), mode);
  }

  // deno-lint-ignore require-await
  async symlink(target: string, path: string): Promise<void> {
    this.#stop.check();
    this.#fs.symlink(target, this.#writable(path));
  }

  // deno-lint-ignore require-await
  async link(from: string, to: string): Promise<void> {
    this.#stop.check();
    this.#fs.link(from, this.#writable(to));
  }

  // deno-lint-ignore require-await
  async utimes(path: string, atime: Date, mtime: Date): Promise<void> {
    const times = { atime: timeOf(atime.getTime()), mtime: timeOf(mtime.getTime()) };
    this.#fs.setTimes(this.#writable(path), times);
  }

  // Looking

  // deno-lint-ignore require-await
  async exists(path: string): Promise<boolean> {
    this.#stop.check();
    return this.#virtual.find(path) !== undefined || this.#fs.exists(path);
  }

  // deno-lint-ignore require-await
  async stat(path: string): Promise<ShellStat> {
    return this.#stat(path, true);
  }

  // deno-lint-ignore require-await
  async lstat(path: string): Promise<ShellStat> {
    return this.#stat(path, false);
  }

  // deno-lint-ignore require-await
  async readdir(path: string): Promise<string[]> {
    return this.#list(path).map(({ name }) => name);
  }

  // deno-lint-ignore require-await
  async readdirWithFileTypes(path: string) {
    return this.#list(path).map(({ name, type }) => ({
      name,
      isFile: type === "file" || type === "device",
      isDirectory: type === "directory",
      isSymbolicLink: type === "symlink",
    }));
  }

  // deno-lint-ignore require-await
  async readlink(path: string): Promise<string> {
    this.#stop.check();
    return this.#fs.readlink(path);
  }

  // deno-lint-ignore require-await
  async realpath(path: string): Promise<string> {
    return this.#virtual.find(path) ? path : this.#fs.realpath(path);
  }

  resolvePath(base: string, path: string): string {
    const parts: string[] = [];
    for (const part of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
      if (part === "..") parts.pop();
      else if (part !== "" && part !== ".") parts.push(part);
    }
    return `/${parts.join("/")}`;
  }

  /** just-bash looks here for globs only where it can't list directories. */
  getAllPaths(): string[] {
    return [];
  }

  #stat(path: string, follow: boolean): ShellStat {
    this.#stop.check();
    const node = this.#virtual.find(path);
    return node ? virtualStat(node) : realStat(this.#fs.stat(path, { follow }));
  }

  #list(path: string): { readonly name: string; readonly type: string }[] {
    this.#stop.check();
    const node = this.#virtual.find(path);
    if (node?.type === "file") throw new FsError("ENOTDIR", path);
    const names = node ? node.names() : this.#virtual.namesIn(path);
    const real = node ? [] : this.#fs.readdir(path).filter(({ name }) => !names.includes(name));
    const made = names.map((name) => {
      const type = this.#virtual.find(this.resolvePath(path, name))?.type ?? "file";
      return { name, type };
    });
    return [...real, ...made].sort((a, b) => a.name < b.name ? -1 : 1);
  }

  #writable(path: string): string {
    if (this.#virtual.find(path)) throw new FsError("EROFS", path);
    return path;
  }
}

function encode(content: Content, options: Encoding): Uint8Array {
  if (typeof content !== "string") return content;
  const encoding = typeof options === "string" ? options : options?.encoding;
  return encoding === "binary" || encoding === "latin1" ? bytesOfLatin1(content) : bytesOfText(content);
}

function realStat({ type, mode, size, mtime, ino }: Stat): ShellStat {
  return {
    isFile: type === "file" || type === "device",
    isDirectory: type === "directory",
    isSymbolicLink: type === "symlink",
    mode,
    size,
    mtime: new Date(Number(mtime / 1_000_000n)),
    ino,
    dev: 1,
  };
}

function virtualStat(node: VirtualNode): ShellStat {
  const isDirectory = node.type === "directory";
  const mode = node.type === "directory" ? 0o555 : node.mode;
  return { isFile: !isDirectory, isDirectory, isSymbolicLink: false, mode, size: 0, mtime: EPOCH };
}
