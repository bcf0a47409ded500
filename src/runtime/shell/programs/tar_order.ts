/** What an invocation of `tar` is about, and what it says of what is missing. */

import type { FsError } from "../../../fs/file_system.ts";
import type { Options } from "./options.ts";
import type { Tools } from "./tools.ts";

/** What an invocation is about. */
export interface Order {
  readonly options: Options;
  /** The archive; `-` for what comes by a pipe, or goes there. */
  readonly file: string;
  readonly root: string;
  /** Operands, and the names that `-T` reads. */
  readonly names: readonly string[];
  readonly excluded: readonly string[];
  /** What `sed` is to make of names. */
  readonly transforms: readonly string[];
}

/** Makes other names of names, if the order has it so. @throws {ProgramError} */
export function renamer(tools: Tools, { transforms }: Order): (name: string) => string {
  if (transforms.length === 0) return (name) => name;
  const script = transforms.map((one) => `-e '${one.replaceAll("'", "'\\''")}'`).join(" ");
  return (name) => {
    if (name.includes("\n")) return name;
    const renamed = tools.filter(`sed ${script}`, new TextEncoder().encode(`${name}\n`));
    return new TextDecoder().decode(renamed).replace(/\n$/, "");
  };
}

export function reasonOf(error: FsError): string {
  const reason = error.message.replace(/^[A-Z]+: /, "").replace(/, '.*/s, "");
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}

export function notFound(names: readonly string[]): string {
  const lines = names.map((name) => `tar: ${name}: Not found in archive\n`);
  return `${lines.join("")}tar: Exiting with failure status due to previous errors\n`;
}
