/** What `curl` sends: `-d` and its kin, `-F`, `-T`, `--json`. */

import { concatBytes } from "../../../bytes.ts";
import { FsError } from "../../../fs/errors.ts";
import { pathOf, textOf } from "./files.ts";
import type { Options } from "./options.ts";
import { bytesOf, type SpawnRequest, type Surroundings } from "./program.ts";
import { ProgramError } from "./program_error.ts";

export class CurlBody {
  readonly bytes: Uint8Array | undefined;
  readonly type: string | undefined;
  readonly method: string;
  readonly isJson: boolean;
  /** What `-G` adds to the URL. */
  readonly query: string;

  constructor(
    private readonly surroundings: Surroundings,
    private readonly request: SpawnRequest,
    options: Options,
  ) {
    const data = options.given.flatMap(([name, value]) =>
      value !== true && /^(?:d|data|data-.*|json)$/.test(name) ? [this.#data(name, value)] : []
    );
    const forms = options.given.flatMap(([name, value]) =>
      value !== true && ["F", "form", "form-string"].includes(name) ? [[name, value] as const] : []
    );
    const file = options.value("T", "upload-file");
    this.isJson = options.value("json") !== undefined;
    const joined = data.length === 0
      ? undefined
      : concatBytes(data.flatMap((each, at) => at > 0 && !this.isJson ? [bytesOf("&"), each] : [each]));
    const isQuery = options.has("G", "get");
    this.query = isQuery && joined ? textOf(joined) : "";
    if (forms.length > 0) {
      const random = new Uint8Array(8);
      surroundings.host.random(random);
      const boundary = `------------------------${random.toHex()}`;
      this.bytes = concatBytes([
        ...forms.map((each) => this.#part(boundary, ...each)),
        bytesOf(`--${boundary}--\r\n`),
      ]);
      this.type = `multipart/form-data; boundary=${boundary}`;
    } else if (file !== undefined) {
      this.bytes = this.#read(file);
    } else if (joined && !isQuery) {
      this.bytes = joined;
      this.type = this.isJson ? "application/json" : "application/x-www-form-urlencoded";
    }
    this.method = options.value("X", "request") ??
      (options.has("I", "head") ? "HEAD" : file !== undefined ? "PUT" : this.bytes ? "POST" : "GET");
  }

  #read(name: string): Uint8Array {
    if (name === "-" || name === ".") return this.request.stdin.all();
    try {
      return this.surroundings.host.fs.readFile(pathOf(this.request, name));
    } catch (error) {
      if (error instanceof FsError) throw new ProgramError(`(26) Failed to open ${name}`, 26);
      throw error;
    }
  }

  #data(name: string, value: string): Uint8Array {
    if (name === "data-urlencode") return bytesOf(this.#encoded(value));
    if (name === "data-raw" || !value.startsWith("@")) return bytesOf(value);
    const bytes = this.#read(value.slice(1));
    return name === "data-binary" || name === "json"
      ? bytes
      : bytes.filter((byte) => byte !== 10 && byte !== 13);
  }

  /** `content`, `=content`, `name=content`, `@file`, `name@file`. */
  #encoded(value: string): string {
    const at = value.search(/[=@]/);
    if (at < 0) return encodeURIComponent(value);
    const name = value.slice(0, at);
    const content = value[at] === "@" ? textOf(this.#read(value.slice(at + 1))) : value.slice(at + 1);
    return (name ? `${name}=` : "") + encodeURIComponent(content);
  }

  #part(boundary: string, option: string, form: string): Uint8Array {
    const at = form.indexOf("=");
    if (at < 0) throw new ProgramError("(2) Illegally formatted input field", 2);
    const [name, rest] = [form.slice(0, at), form.slice(at + 1)];
    const [value = "", ...more] = option === "form-string" ? [rest] : rest.split(";");
    const given = Object.fromEntries(more.map((each) => each.split("=", 2)));
    const isFile = option !== "form-string" && /^[@<]/.test(value);
    const content = isFile ? this.#read(value.slice(1)) : bytesOf(option === "form-string" ? rest : value);
    const isNamed = isFile && value.startsWith("@");
    const filename = given["filename"] ?? value.slice(1).split("/").pop();
    const head = [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${name}"${isNamed ? `; filename="${filename}"` : ""}`,
      ...isNamed || given["type"] ? [`Content-Type: ${given["type"] ?? "application/octet-stream"}`] : [],
    ];
    return concatBytes([bytesOf(`${head.join("\r\n")}\r\n\r\n`), content, bytesOf("\r\n")]);
  }
}
