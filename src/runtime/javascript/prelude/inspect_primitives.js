/** How `inspect` shows strings, numbers and what else has no parts. */
export function installInspectPrimitives(_host, hooks) {
  const STYLES = {
    bigint: 33,
    boolean: 33,
    date: 35,
    number: 33,
    regexp: 31,
    special: 36,
    string: 32,
    symbol: 32,
    undefined: 90,
  };
  /** Those that are no colours, and how they end. */
  const ATTRIBUTES = { null: [1, 22], module: [4, 24] };
  /** @param style A type, or the number of a colour. */
  function coloured(context, text, style) {
    if (!context.colors) return text;
    const [begin, end] = ATTRIBUTES[style] ?? [STYLES[style] ?? style, 39];
    return typeof begin === "number" ? `\u001b[${begin}m${text}\u001b[${end}m` : text;
  }

  const ESCAPES = {
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
    "\\": "\\\\",
    "\v": "\\x0B",
  };
  const escape = (char) => {
    const known = ESCAPES[char];
    if (known) return known;
    const code = char.charCodeAt(0);
    return code > 0xff ? "\\u" + code.toString(16) : "\\x" + code.toString(16).toUpperCase().padStart(2, "0");
  };
  /** What a name has that does not stand in a line. */
  // deno-lint-ignore no-control-regex
  const escaped = (text) => text.replace(/[\x00-\x1f\x7f-\x9f\\]/g, escape);
  /** As a literal, with the mark that needs the fewest escapes. */
  function quote(text) {
    let mark = "'";
    if (text.includes("'")) {
      if (!text.includes('"')) mark = '"';
      else if (!text.includes("`") && !text.includes("${")) mark = "`";
    }
    const inner = text.replace(
      // deno-lint-ignore no-control-regex
      /[\x00-\x1f\x7f-\x9f\\'"`]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      (char) =>
        char === "'" || char === '"' || char === "`" ? char === mark ? "\\" + char : char : escape(char),
    );
    return mark + inner + mark;
  }

  function formatString(context, value) {
    let rest = "";
    let text = value;
    const most = Math.min(context.maxStringLength, context.left);
    if (text.length > most) {
      const more = text.length - most;
      rest = `... ${more} more character${more > 1 ? "s" : ""}`;
      text = text.slice(0, most);
    }
    context.left -= text.length;
    if (
      context.compact !== true && text.length > 16 &&
      text.length > context.breakLength - context.indentation - 4 && text.includes("\n")
    ) {
      const lines = text.split(/(?<=\n)/).map(quote);
      return lines.join(` +\n${" ".repeat(context.indentation + 2)}`) + rest;
    }
    return quote(text) + rest;
  }

  const inThrees = (digits) => digits.replace(/\B(?=(?:\d{3})+$)/g, "_");
  /** A number's text with its digits in threes. */
  function separated(text) {
    const [, sign, whole, fraction, rest] = /^(-?)(\d+)(?:\.(\d+))?(.*)$/.exec(text) ?? [];
    if (whole === undefined || rest !== "" && rest !== "n") return text;
    const after = fraction === undefined ? "" : `.${fraction.replace(/(\d{3})(?=\d)/g, "$1_")}`;
    return sign + inThrees(whole) + after + rest;
  }

  function formatPrimitive(context, value) {
    let text;
    switch (typeof value) {
      case "string":
        return coloured(context, formatString(context, value), "string");
      case "number":
        text = Object.is(value, -0) ? "-0" : `${value}`;
        if (context.numericSeparator) text = separated(text);
        break;
      case "bigint":
        // Making the digits of a big one takes time that grows with the square of their number.
        text = value > 2n ** 8192n || value < -(2n ** 8192n) ? "[BigInt: too long to show]" : `${value}n`;
        if (context.numericSeparator) text = separated(text);
        break;
      case "symbol":
        text = Symbol.prototype.toString.call(value);
        break;
      default:
        text = `${value}`;
    }
    context.left -= text.length;
    return coloured(context, text, value === null ? "null" : typeof value);
  }

  /** Counts a text against the bound. */
  function spend(context, text) {
    context.left -= text.length;
    return text;
  }

  hooks.inspectPrimitives = { coloured, escaped, quote, formatPrimitive, spend };
}
