/** Modules for instances that start from an image of their memory. */

import { ByteReader } from "../../wasm/metering/reader.ts";
import { SectionId } from "../../wasm/metering/sections.ts";
import { ByteWriter } from "../../wasm/metering/writer.ts";

/** Magic and version. */
const HEADER_BYTES = 8;

/**
 * A module without its data segments: what they would set an image sets again, and to set it twice takes each new session
 * milliseconds, and megabytes until they are overwritten.
 *
 * @param module Its code must not set memory from segments itself (`memory.init`): it would be no module any more.
 */
export function withoutData(module: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const reader = new ByteReader(module, HEADER_BYTES);
  const writer = new ByteWriter(module.length);
  writer.copy(module, 0, HEADER_BYTES);
  while (!reader.done) {
    const start = reader.position;
    const id = reader.byte();
    reader.sized();
    if (id !== SectionId.data && id !== SectionId.dataCount) writer.copy(module, start, reader.position);
  }
  return writer.written;
}
