/** How `inspect` lays out the parts of a value: in one line, in columns, or each in a line of its own. */
export function installInspectLayout(_host, hooks) {
  function group(context, output, value) {
    let totalLength = 0;
    let maxLength = 0;
    const extra = value.length > context.maxArrayLength || output.at(-1)?.startsWith("... ") ? 1 : 0;
    const length = output.length - extra;
    const lengths = [];
    for (let i = 0; i < length; i++) {
      lengths.push(output[i].length);
      totalLength += output[i].length + 2;
      maxLength = Math.max(maxLength, output[i].length);
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
        row += padStart ? cell.padStart(widths[j - i]) : cell.padEnd(widths[j - i]);
      }
      row += padStart ? output[j].padStart(widths[j - i] - 2) : output[j];
      rows.push(row);
    }
    if (extra) rows.push(output[length]);
    return rows;
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
    if (
      compact === true ||
      typeof compact === "number" && context.currentDepth - level < compact &&
        entries.length === output.length
    ) {
      const start = output.length + context.indentation + braces[0].length + base.length + 10;
      let total = output.length + start;
      for (const entry of output) total += entry.length;
      if (total <= context.breakLength && !base.includes("\n")) {
        const line = output.join(", ");
        if (!line.includes("\n")) return `${lead}${braces[0]} ${line} ${braces[1]}`;
      }
    }
    const indentation = `\n${" ".repeat(context.indentation)}`;
    return `${lead}${braces[0]}${indentation}  ${output.join(`,${indentation}  `)}${indentation}${braces[1]}`;
  }

  hooks.joinInspected = join;
}
