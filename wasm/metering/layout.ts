import type { ByteReader } from "./reader.ts";
import type { Sections } from "./sections.ts";
import { SectionId } from "./sections.ts";
import { skipFunctionType, skipLimits, skipTableType, skipValueType } from "./types.ts";

/** How many of what a module has, and where its index spaces end. */
export interface Layout {
  /** Number of parameters of each type. */
  readonly parameters: readonly number[];
  /** Type index of each function that the module defines. */
  readonly functionTypes: readonly number[];
  readonly importedFunctions: number;
  /** Imported and defined ones. */
  readonly globals: number;
  /** Imported and defined ones. */
  readonly memories: number;
}

interface Imports {
  functions: number;
  memories: number;
  globals: number;
}

/** Skips the description of an import, which follows its two names. @returns Its kind. */
export function skipImportDescription(reader: ByteReader): number {
  const start = reader.position;
  const kind = reader.byte();
  if (kind === 0) reader.u32();
  else if (kind === 1) skipTableType(reader);
  else if (kind === 2) skipLimits(reader);
  else if (kind === 3) {
    skipValueType(reader);
    reader.byte();
  } else if (kind === 4) {
    reader.byte();
    reader.u32();
  } else reader.fail(`unknown kind of import ${kind}`, start);
  return kind;
}

function readImports(reader: ByteReader | undefined): Imports {
  const imports: Imports = { functions: 0, memories: 0, globals: 0 };
  if (!reader) return imports;
  for (let left = reader.u32(); left > 0; left--) {
    reader.sized();
    reader.sized();
    const kind = skipImportDescription(reader);
    if (kind === 0) imports.functions++;
    else if (kind === 2) imports.memories++;
    else if (kind === 3) imports.globals++;
  }
  reader.expectEnd("imports");
  return imports;
}

function readEach<T>(reader: ByteReader | undefined, what: string, read: (reader: ByteReader) => T): T[] {
  const items: T[] = [];
  if (!reader) return items;
  for (let left = reader.u32(); left > 0; left--) items.push(read(reader));
  reader.expectEnd(what);
  return items;
}

/** @throws {MeteringError} if the sections that tell are malformed. */
export function readLayout(sections: Sections): Layout {
  const imports = readImports(sections.open(SectionId.import));
  const parameters = readEach(sections.open(SectionId.type), "types", skipFunctionType);
  const functionTypes = readEach(sections.open(SectionId.function), "functions", (reader) => {
    const start = reader.position;
    const type = reader.u32();
    if (type >= parameters.length) reader.fail(`unknown type ${type}`, start);
    return type;
  });
  const memories = readEach(sections.open(SectionId.memory), "memories", skipLimits);
  return {
    parameters,
    functionTypes,
    importedFunctions: imports.functions,
    globals: imports.globals + (sections.open(SectionId.global)?.u32() ?? 0),
    memories: imports.memories + memories.length,
  };
}
