/** FormData of the web, and what it is sent as. */
import { Blob, File } from "./blob.js";

export class FormData {
  #entries = [];
  #value(value, filename) {
    if (!(value instanceof Blob)) return `${value}`;
    if (value instanceof File && filename === undefined) return value;
    return new File([value], filename ?? (value instanceof File ? value.name : "blob"), { type: value.type });
  }
  append(name, value, filename) {
    this.#entries.push([`${name}`, this.#value(value, filename)]);
  }
  set(name, value, filename) {
    const at = this.#entries.findIndex(([each]) => each === `${name}`);
    const entry = [`${name}`, this.#value(value, filename)];
    if (at < 0) this.#entries.push(entry);
    else {this.#entries = this.#entries.map((each, index) => index === at ? entry : each).filter((
        [each],
        index,
      ) => index <= at || each !== `${name}`
      );}
  }
  delete(name) {
    this.#entries = this.#entries.filter(([each]) => each !== `${name}`);
  }
  get(name) {
    return this.#entries.find(([each]) => each === `${name}`)?.[1] ?? null;
  }
  getAll(name) {
    return this.#entries.filter(([each]) => each === `${name}`).map(([, value]) => value);
  }
  has(name) {
    return this.#entries.some(([each]) => each === `${name}`);
  }
  forEach(callback, self) {
    for (const [name, value] of this) callback.call(self, value, name, this);
  }
  *entries() {
    for (const [name, value] of this.#entries) yield [name, value];
  }
  *keys() {
    for (const [name] of this.#entries) yield name;
  }
  *values() {
    for (const [, value] of this.#entries) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  get [Symbol.toStringTag]() {
    return "FormData";
  }
}

/** A form as multipart/form-data. */
export function multipart(form) {
  const boundary = `----formdata-wasmbox-${
    Array.from(new Uint8Array(crypto.getRandomValues(new Uint8Array(8))), (byte) =>
      byte.toString(16).padStart(2, "0")).join("")
  }`;
  const escape = (text) => text.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
  const parts = [];
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escape(name)}"`;
    if (typeof value === "string") parts.push(`${head}\r\n\r\n${value}\r\n`);
    else {
      parts.push(
        `${head}; filename="${escape(value.name)}"\r\nContent-Type: ${
          value.type || "application/octet-stream"
        }\r\n\r\n`,
        value,
        "\r\n",
      );
    }
  }
  parts.push(`--${boundary}--\r\n`);
  return { blob: new Blob(parts), type: `multipart/form-data; boundary=${boundary}` };
}
