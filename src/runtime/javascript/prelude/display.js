/** Shows values beside the output, and the value of a run: pictures, tables, marked-up text. The host bounds what it takes. */
export function installDisplay(host, hooks) {
  const MAX_TEXT = 65_536;
  const MAX_ROWS = 50;
  const MAX_COLUMNS = 20;
  const MAX_CELL = 80;
  const SVG = "image/svg+xml";
  /** The method by which an object offers data by MIME type, binary data as bytes or in base64: as in Deno's notebooks. */
  const OFFERS = Symbol.for("Jupyter.display");
  /** Best first, of what an object offers. */
  const PREFERRED = [
    "image/png",
    "image/jpeg",
    SVG,
    "text/markdown",
    "text/html",
    "application/json",
    "text/plain",
  ];
  const MAGIC = [
    ["image/png", [0x89, 0x50, 0x4e, 0x47]],
    ["image/jpeg", [0xff, 0xd8, 0xff]],
    ["image/gif", [0x47, 0x49, 0x46, 0x38]],
    ["application/pdf", [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ];

  function bytesOf(value) {
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    return ArrayBuffer.isView(value)
      ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      : undefined;
  }

  function send(mime, data, source) {
    let bytes = bytesOf(data);
    if (!bytes && typeof data === "string") {
      const binary = mime.startsWith("image/") && mime !== SVG;
      bytes = binary ? hooks.fromBase64(data) : hooks.encodeUtf8(data);
    }
    if (!bytes && mime === "application/json") bytes = hooks.encodeUtf8(JSON.stringify(data) ?? "null");
    if (!bytes) {
      throw new TypeError(
        `what is displayed as ${mime} must be a string or bytes, not ${data === null ? "null" : typeof data}`,
      );
    }
    host.display(JSON.stringify({ mime: mime.toLowerCase(), source }), hooks.bufferOf(bytes));
  }

  /** MIME type and data of the best that a value has to show; undefined if that is what `inspect` says of it. */
  function representation(value) {
    if (typeof value === "string") return isSvg(value) ? [SVG, value] : undefined;
    if (typeof value !== "object" || value === null) return undefined;
    const bytes = bytesOf(value);
    if (bytes) {
      const found = MAGIC.find(([, magic]) => magic.every((byte, at) => bytes[at] === byte));
      return found && [found[0], bytes];
    }
    if (typeof value[OFFERS] === "function") {
      const offered = value[OFFERS]();
      const mime = PREFERRED.find((mime) => offered?.[mime] !== undefined && offered[mime] !== null);
      return mime && [mime, offered[mime]];
    }
    return table(value);
  }

  function isSvg(text) {
    const start = text.slice(0, 2000).trimStart();
    return start.startsWith("<svg") || /^<(\?xml|!DOCTYPE svg|!--)/.test(start) && start.includes("<svg");
  }

  const isRow = (value) =>
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

  /** An array of plain objects, in Markdown. */
  function table(value) {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    const rows = value.slice(0, MAX_ROWS);
    if (!rows.every(isRow)) return undefined;
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row).slice(0, MAX_COLUMNS + 1)))];
    const shown = columns.slice(0, MAX_COLUMNS);
    const line = (cells) => `| ${cells.join(" | ")} |`;
    const lines = [line(shown.map(cell)), line(shown.map(() => "---"))];
    for (const row of rows) lines.push(line(shown.map((column) => cell(row[column]))));
    if (value.length > MAX_ROWS) lines.push(`\n(${value.length - MAX_ROWS} more rows)`);
    if (columns.length > MAX_COLUMNS) lines.push("\n(more columns)");
    return ["text/markdown", lines.join("\n")];
  }

  function cell(value) {
    if (value === undefined) return "";
    const text = typeof value === "string"
      ? value.slice(0, MAX_CELL + 1)
      : hooks.inspect(value, { bound: MAX_CELL + 1 });
    const short = text.length <= MAX_CELL ? text : `${text.slice(0, MAX_CELL)}…`;
    return short.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
  }

  hooks.define("display", function display(value, options = undefined) {
    const mime = typeof options === "string" ? options : options?.mime;
    let shown = mime === undefined ? undefined : [`${mime}`, value];
    try {
      shown ??= representation(value);
    } catch (error) {
      console.error(`display: ${hooks.inspect(error, { bound: 1000 })}`);
    }
    shown ??= ["text/plain", typeof value === "string" ? value : hooks.inspect(value, { bound: MAX_TEXT })];
    send(shown[0], shown[1], "display");
  });

  /** The value of a run, which is shown if there is a better way than `inspect`; nothing for undefined. */
  hooks.result = (value, bound) => {
    if (value === undefined || gaveNothing(value)) return undefined;
    const shown = hooks.inspect(value, { bound });
    if (hasMoreToShow(value)) displayResult(value);
    return shown;
  };

  /** Whether it is the promise of a function that has returned nothing, as that of most programs whose last line is `main()`. */
  function gaveNothing(value) {
    return typeof value === "object" && host.promiseState(value) === "fulfilled" &&
      host.promiseValue(value) === undefined;
  }

  /** Whether a value may have a better form than that of `inspect`. Cheap: it is asked of every result. */
  function hasMoreToShow(value) {
    if (typeof value !== "object" || value === null) return false;
    try {
      return Array.isArray(value) ? typeof value[0] === "object" && value[0] !== null : OFFERS in value;
    } catch {
      return false; // a proxy that refuses
    }
  }

  function displayResult(value) {
    try {
      const shown = representation(value);
      if (shown) send(shown[0], shown[1], "result");
    } catch (error) {
      console.error(`display: the result: ${hooks.inspect(error, { bound: 1000 })}`);
    }
  }
}
