/**
 * Who did what: a line of JSON for each call of a tool, in a file of its own that only the server's user can read.
 *
 * Lines are written at once and whole, or not at all. When the file reaches its size it becomes FILE.1, that one FILE.2,
 * and so on; the oldest is deleted.
 */

import type { Observer } from "./events.ts";

export interface AuditOptions {
  readonly path: string;
  /** Size of one file. */
  readonly maxBytes: number;
  /** Files kept besides the one that is written. */
  readonly keptFiles: number;
  /** Calls that can't be recorded are refused; else they are served, and the log says so. */
  readonly required: boolean;
}

export interface AuditRecord {
  /** "call_started" is written ahead of the call, where records are required. */
  readonly event: "call_started" | "call";
  readonly principal: string;
  /** Where the call came from; null on stdio. */
  readonly address: string | null;
  readonly tool: string;
  readonly session_id: string | null;
  readonly execution_id: string | null;
  /** "ok" or an error code; null while it is not known. */
  readonly outcome: string | null;
  readonly duration_ms: number | null;
  /** SHA-256 of the code or command that the call brought, of its UTF-8. */
  readonly code_sha256: string | null;
  readonly trace_id: string;
}

const encoder = new TextEncoder();

export class AuditLog implements Disposable {
  readonly #options: AuditOptions;
  readonly #observe: Observer;
  #file: Deno.FsFile | undefined;
  #bytes = 0;
  /** Records that could not be written since the last that could. */
  #lost = 0;

  /** Opens the file. @throws {Error} if it can't be opened or is not a file: such a server should not start. */
  constructor(options: AuditOptions, observe: Observer) {
    this.#options = options;
    this.#observe = observe;
    this.#open();
  }

  get required(): boolean {
    return this.#options.required;
  }

  /** Writes a record; observers hear of a failure. @returns False if it could not be written. */
  write(record: AuditRecord): boolean {
    if (this.recover() && this.#append(record)) return true;
    this.#lost++;
    return false;
  }

  /** Tries to go on after a failure; the file tells then how many records are missing. @returns False if that fails. */
  recover(): boolean {
    if (this.#lost === 0) return true;
    if (!this.#append({ event: "records_lost", count: this.#lost })) return false;
    this.#observe({ type: "audit_recovered", lost: this.#lost });
    this.#lost = 0;
    return true;
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  #append(record: object): boolean {
    try {
      this.#write(encoder.encode(`${JSON.stringify({ time: new Date().toISOString(), ...record })}\n`));
      return true;
    } catch (error) {
      this.#observe({ type: "audit_failed", reason: error instanceof Error ? error.message : String(error) });
      return false;
    }
  }

  #write(line: Uint8Array): void {
    if (this.#bytes > 0 && this.#bytes + line.length > this.#options.maxBytes) this.#rotate();
    const file = this.#file ?? this.#open();
    try {
      for (let at = 0; at < line.length;) at += file.writeSync(line.subarray(at));
      this.#bytes += line.length;
    } catch (error) {
      this.#dropHalfLine(file);
      throw error;
    }
  }

  /** A disk that is full took a part of the line. */
  #dropHalfLine(file: Deno.FsFile): void {
    try {
      file.truncateSync(this.#bytes);
    } catch {
      this.#close(); // opened again for the next record
    }
  }

  #open(): Deno.FsFile {
    const file = Deno.openSync(this.#options.path, { append: true, create: true, mode: 0o600 });
    try {
      const { isFile, size } = file.statSync();
      if (!isFile) throw new Error(`${this.#options.path} is not a file`);
      Deno.chmodSync(this.#options.path, 0o600); // it may have been there before
      this.#bytes = size;
    } catch (error) {
      file.close();
      throw error;
    }
    this.#file = file;
    return file;
  }

  #rotate(): void {
    const { path, keptFiles } = this.#options;
    this.#close();
    for (let number = keptFiles; number > 0; number--) {
      const from = number === 1 ? path : `${path}.${number - 1}`;
      try {
        Deno.renameSync(from, `${path}.${number}`);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    if (keptFiles === 0) Deno.removeSync(path);
  }

  #close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}

/** SHA-256 of a text's UTF-8, in hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
