/** Makes wheels as small as they can be, right ones and wrong ones. */

import { zip, type ZipEntry } from "./zip.ts";

export interface WheelOptions {
  readonly requires?: readonly string[];
  readonly extras?: Readonly<Record<string, readonly string[]>>;
  readonly requiresPython?: string;
  /** Modules by their paths; absent: one named as the package, with `VERSION`. */
  readonly modules?: Readonly<Record<string, string>>;
  /** What METADATA says, where that is not what the file name says. */
  readonly claims?: { readonly name?: string; readonly version?: string };
  readonly tag?: string;
  readonly more?: readonly ZipEntry[];
}

export interface Wheel {
  readonly filename: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
  readonly requiresPython?: string;
}

const encode = (text: string) => new TextEncoder().encode(text);

export async function makeWheel(name: string, version: string, options: WheelOptions = {}): Promise<Wheel> {
  const { requires = [], extras = {}, claims = {}, tag = "py3-none-any", more = [], requiresPython } =
    options;
  const module = name.replaceAll(/[-.]/g, "_").toLowerCase();
  const modules = options.modules ?? { [`${module}.py`]: `VERSION = "${version}"\n` };
  const information = `${module}-${version}.dist-info`;
  const metadata = [
    "Metadata-Version: 2.1",
    `Name: ${claims.name ?? name}`,
    `Version: ${claims.version ?? version}`,
    ...(requiresPython === undefined ? [] : [`Requires-Python: ${requiresPython}`]),
    ...requires.map((requirement) => `Requires-Dist: ${requirement}`),
    ...Object.entries(extras).flatMap(([extra, wanted]) => [
      `Provides-Extra: ${extra}`,
      ...wanted.map((requirement) => `Requires-Dist: ${requirement}; extra == "${extra}"`),
    ]),
  ];
  const wheel = ["Wheel-Version: 1.0", "Generator: tests", "Root-Is-Purelib: true", `Tag: ${tag}`];
  const files = [
    ...Object.entries(modules).map(([path, text]) => ({ name: path, bytes: encode(text) })),
    { name: `${information}/METADATA`, bytes: encode(`${metadata.join("\n")}\n`) },
    { name: `${information}/WHEEL`, bytes: encode(`${wheel.join("\n")}\n`) },
    ...more,
  ];
  const record = [...files.map((file) => `${file.name},,`), `${information}/RECORD,,`];
  const bytes = await zip([...files, {
    name: `${information}/RECORD`,
    bytes: encode(`${record.join("\n")}\n`),
  }]);
  return {
    filename: `${module}-${version}-${tag}.whl`,
    bytes,
    sha256: await hex(bytes),
    ...(requiresPython !== undefined && { requiresPython }),
  };
}

async function hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
