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
  /** @param style A type, or the number of a colour. */
  function coloured(context, text, style) {
    const colour = STYLES[style] ?? style;
    return context.colors && typeof colour === "number" ? `\u001b[${colour}m${text}\u001b[39m` : text;
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
  /** As a literal, with the mark that needs the fewest escapes. */
  function quote(text) {
    let mark = "'";
    if (text.includes("'")) {
      if (!text.includes('"')) mark = '"';
      else if (!text.includes("`") && !text.includes("${")) mark = "`";
    }
    const escaped = text.replace(
      // deno-lint-ignore no-control-regex
      /[\x00-\x1f\x7f-\x9f\\'"`]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      (char) => {
        if (char === "'" || char === '"' || char === "`") return char === mark ? "\\" + char : char;
        const known = ESCAPES[char];
        if (known) return known;
        const code = char.charCodeAt(0);
        return code > 0xff
          ? "\\u" + code.toString(16)
          : "\\x" + code.toString(16).toUpperCase().padStart(2, "0");
      },
    );
    return mark + escaped + mark;
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

  function formatPrimitive(context, value) {
    let text;
    switch (typeof value) {
      case "string":
        return coloured(context, formatString(context, value), "string");
      case "number":
        text = Object.is(value, -0) ? "-0" : `${value}`;
        break;
      case "bigint":
        // Making the digits of a big one takes time that grows with the square of their number.
        text = value > 2n ** 8192n || value < -(2n ** 8192n) ? "[BigInt: too long to show]" : `${value}n`;
        break;
      case "symbol":
        text = Symbol.prototype.toString.call(value);
        break;
      default:
        text = `${value}`;
    }
    context.left -= text.length;
    return value === null
      ? context.colors ? `\u001b[1mnull\u001b[22m` : text
      : coloured(context, text, typeof value);
  }

  /** Counts a text against the bound. */
  function spend(context, text) {
    context.left -= text.length;
    return text;
  }

  hooks.inspectPrimitives = { coloured, quote, formatPrimitive, spend };
}
