import { concatBytes } from "../../bytes.ts";

const MAX_BYTES = 4096;

/** The last bytes of stderr: there the interpreter says why it aborts. */
export class OutputTail {
  #bytes: Uint8Array = new Uint8Array(0);

  add(bytes: Uint8Array): void {
    this.#bytes = concatBytes([this.#bytes, bytes.subarray(-MAX_BYTES)]).subarray(-MAX_BYTES);
  }

  clear(): void {
    this.#bytes = new Uint8Array(0);
  }

  /** What CPython's Py_FatalError printed, if it did. */
  fatalError(): string | undefined {
    return /^Fatal Python error: (.{1,300})/m.exec(new TextDecoder().decode(this.#bytes))?.[0];
  }
}
