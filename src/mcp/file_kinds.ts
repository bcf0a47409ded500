/** Files that are no text: those that can be shown, and what reads the others. */

import { toBase64 } from "../base64.ts";
import { WasmboxError } from "../errors.ts";
import { mimeTypeOf } from "../mime.ts";
import { MAX_SIDE, pictureSize, type Size } from "../picture.ts";
import type { SessionFiles, WorkspaceEntry } from "../session/session_files.ts";
import { type Readable, readPart, textAsFile } from "./file_reading.ts";

/** Largest picture that is shown: models take some 5 MB of base64. */
const MAX_PICTURE_BYTES = 3 * 1024 * 1024;
const PICTURE_TYPES = ["image/png", "image/jpeg"];

export interface ShownPicture extends Size {
  readonly entry: WorkspaceEntry;
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** @returns undefined for what is no picture that models take, whatever its name is. @throws {WasmboxError} as reading does. */
export async function readPicture(files: SessionFiles, path: string): Promise<ShownPicture | undefined> {
  const { entry, bytes, cut } = await readPart(files, path, 0, MAX_PICTURE_BYTES);
  if (cut) return undefined;
  for (const mimeType of PICTURE_TYPES) {
    const size = pictureSize(mimeType, bytes);
    if (!size || Math.max(size.width, size.height) > MAX_SIDE) continue;
    return { ...size, entry, mimeType, data: toBase64(bytes) };
  }
  return undefined;
}

/** Of a PDF, by its name, its text; undefined for what has none, which is read as other files are. */
export async function readDocument(
  files: SessionFiles,
  path: string,
): Promise<{ readonly entry: WorkspaceEntry; readonly text: Readable } | undefined> {
  if (mimeTypeOf(path) !== "application/pdf") return undefined;
  const entry = await files.stat(path);
  const text = entry.type === "file" ? await files.documentText(path) : undefined;
  return text === undefined ? undefined : { entry, text: textAsFile(text, entry) };
}

const DOCUMENTS = "application/vnd.openxmlformats-officedocument.";

/** What programs of a session read files of a type by; all of it is there without installing. */
const READERS: Readonly<Record<string, string>> = {
  "application/pdf": 'from pypdf import PdfReader; [page.extract_text() for page in PdfReader("…").pages]',
  [`${DOCUMENTS}spreadsheetml.sheet`]: 'import openpyxl; openpyxl.load_workbook("…")',
  [`${DOCUMENTS}wordprocessingml.document`]: 'import docx; docx.Document("…").paragraphs',
  [`${DOCUMENTS}presentationml.presentation`]: 'import pptx; pptx.Presentation("…").slides',
  "application/vnd.sqlite3": 'import sqlite3; sqlite3.connect("…")',
  "application/vnd.apache.parquet": 'import pandas; pandas.read_parquet("…")',
  "application/zip": 'import zipfile; zipfile.ZipFile("…").namelist()',
  "image/gif": 'from PIL import Image; display(Image.open("…"))',
  "image/webp": 'from PIL import Image; display(Image.open("…"))',
  "image/png":
    'from PIL import Image; image = Image.open("…"); image.thumbnail((1500, 1500)); display(image)',
  "image/jpeg":
    'from PIL import Image; image = Image.open("…"); image.thumbnail((1500, 1500)); display(image)',
};

/** A refusal of {@link decodeText}, with what reads such a file. */
export function withReader({ info }: WasmboxError, path: string): WasmboxError {
  const reader = READERS[mimeTypeOf(path)];
  const { error_code, message, context, recovery_suggestions } = info;
  return new WasmboxError(error_code, message, {
    context,
    suggestions: reader
      ? [`Run it through Python: ${reader.replace("…", () => path.slice(0, 200))}`]
      : recovery_suggestions,
  });
}
