/** MIME types by a file's name. */

const TYPES: Readonly<Record<string, string>> = {
  // Text and data
  txt: "text/plain",
  log: "text/plain",
  ini: "text/plain",
  cfg: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  html: "text/html",
  htm: "text/html",
  css: "text/css",
  xml: "application/xml",
  json: "application/json",
  jsonl: "application/jsonl",
  ndjson: "application/x-ndjson",
  geojson: "application/geo+json",
  ipynb: "application/x-ipynb+json",
  yaml: "application/yaml",
  yml: "application/yaml",
  toml: "application/toml",
  // Programs
  py: "text/x-python",
  js: "text/javascript",
  mjs: "text/javascript",
  ts: "text/x-typescript",
  sh: "application/x-sh",
  sql: "application/sql",
  wasm: "application/wasm",
  // Documents
  pdf: "application/pdf",
  rtf: "application/rtf",
  tex: "application/x-tex",
  epub: "application/epub+zip",
  doc: "application/msword",
  xls: "application/vnd.ms-excel",
  ppt: "application/vnd.ms-powerpoint",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odp: "application/vnd.oasis.opendocument.presentation",
  // Pictures, sound, films, fonts
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  ico: "image/vnd.microsoft.icon",
  tif: "image/tiff",
  tiff: "image/tiff",
  svg: "image/svg+xml",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  ogg: "audio/ogg",
  flac: "audio/flac",
  mp4: "video/mp4",
  webm: "video/webm",
  ttf: "font/ttf",
  otf: "font/otf",
  woff: "font/woff",
  woff2: "font/woff2",
  // Archives and databases
  zip: "application/zip",
  whl: "application/zip",
  gz: "application/gzip",
  tgz: "application/gzip",
  bz2: "application/x-bzip2",
  xz: "application/x-xz",
  tar: "application/x-tar",
  "7z": "application/x-7z-compressed",
  sqlite: "application/vnd.sqlite3",
  sqlite3: "application/vnd.sqlite3",
  db: "application/vnd.sqlite3",
  parquet: "application/vnd.apache.parquet",
  npy: "application/x-npy",
};

const byExtension = new Map(Object.entries(TYPES));

let file: Uint8Array | undefined;

/** As `/etc/mime.types` has them on other machines, for programs that look there. Not to be changed. */
export function mimeTypesFile(): Uint8Array {
  if (file) return file;
  const names = new Map<string, string[]>();
  for (const [extension, type] of byExtension) names.set(type, [...names.get(type) ?? [], extension]);
  const rows = [...names].map(([type, extensions]) => `${type}\t${extensions.join(" ")}\n`);
  return file = new TextEncoder().encode(rows.join(""));
}

/** @returns `application/octet-stream` for what is not known. */
export function mimeTypeOf(path: string): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return byExtension.get(extension) ?? "application/octet-stream";
}
