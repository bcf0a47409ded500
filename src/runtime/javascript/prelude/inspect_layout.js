/** How `inspect` lays out the parts of a value: in one line, in columns, or each in a line of its own. */
export function installInspectLayout(_host, hooks) {
  // deno-lint-ignore no-control-regex
  const COLOURS = /\x1b\[\d+m/g;
  const bare = (context, text) => context.colors ? text.replace(COLOURS, "") : text;

  function group(context, output, value) {
    let totalLength = 0;
    let maxLength = 0;
    const extra = value.length > context.maxArrayLength || output.at(-1)?.startsWith("... ") ? 1 : 0;
    const length = output.length - extra;
    const lengths = [];
    for (let i = 0; i < length; i++) {
      const width = hooks.widthOf(bare(context, output[i]));
      lengths.push(width);
      totalLength += width + 2;
      maxLength = Math.max(maxLength, width);
    }
    const actualMax = maxLength + 2;
    if (
      actualMax * 3 + context.indentation >= context.breakLength ||
      !(totalLength / actualMax > 5 || maxLength <= 6)
    ) return output;
    const bias = Math.sqrt(actualMax - totalLength / output.length);
    const biasedMax = Math.max(actualMax - 3 - bias, 1);
    const columns = Math.min(
      Math.round(Math.sqrt(2.5 * biasedMax * length) / biasedMax),
      Math.floor((context.breakLength - context.indentation) / actualMax),
      context.compact * 4,
      15,
    );
    if (columns <= 1) return output;
    const widths = [];
    for (let i = 0; i < columns; i++) {
      let width = 0;
      for (let j = i; j < length; j += columns) width = Math.max(width, lengths[j]);
      widths.push(width + 2);
    }
    let padStart = true;
    for (let i = 0; i < length && padStart; i++) {
      padStart = typeof value[i] === "number" || typeof value[i] === "bigint";
    }
    const rows = [];
    for (let i = 0; i < length; i += columns) {
      const end = Math.min(i + columns, length);
      let row = "";
      let j = i;
      for (; j < end - 1; j++) {
        const cell = `${output[j]}, `;
        const space = " ".repeat(widths[j - i] - 2 - lengths[j]);
        row += padStart ? space + cell : cell + space;
      }
      row += padStart ? " ".repeat(widths[j - i] - 2 - lengths[j]) + output[j] : output[j];
      rows.push(row);
    }
    if (extra) rows.push(output[length]);
    return rows;
  }

  function fits(context, output, start, base) {
    let total = output.length + start;
    for (const entry of output) total += bare(context, entry).length;
    return total <= context.breakLength && !base.includes("\n");
  }

  /** The brackets stand beside what is first and last. */
  function joinCompactly(context, output, base, braces, indentation) {
    const lead = base ? ` ${base}` : "";
    if (fits(context, output, 0, base)) return `${braces[0]}${lead} ${output.join(", ")} ${braces[1]}`;
    const begin = base === "" && braces[0].length === 1 ? " " : `${lead}${indentation}  `;
    return `${braces[0]}${begin}${output.join(`,${indentation}  `)} ${braces[1]}`;
  }

  /** @param isArray Whether its entries have no names: many of them stand in columns. */
  function join(context, entries, base, braces, isArray, level, value) {
    let output = entries;
    const { compact } = context;
    if (typeof compact === "number" && compact >= 1 && isArray && entries.length > 6) {
      output = group(context, entries, value);
    }
    const lead = base ? `${base} ` : "";
    if (entries.length === 0) return `${lead}${braces[0]}${braces[1]}`;
    const indentation = `\n${" ".repeat(context.indentation)}`;
    if (compact === true) return joinCompactly(context, output, base, braces, indentation);
    if (
      typeof compact === "number" && context.currentDepth - level < compact &&
      entries.length === output.length
    ) {
      const start = output.length + context.indentation + braces[0].length + base.length + 10;
      if (fits(context, output, start, base)) {
        const line = output.join(", ");
        if (!line.includes("\n")) return `${lead}${braces[0]} ${line} ${braces[1]}`;
      }
    }
    return `${lead}${braces[0]}${indentation}  ${output.join(`,${indentation}  `)}${indentation}${braces[1]}`;
  }

  hooks.joinInspected = join;
}
