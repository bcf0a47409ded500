/** How `node:test` tells of tests: as Node's reporters `spec`, `tap` and `dot` do. */
import process from "./process.js";
import { hooks } from "./runtime.js";
import { rounded } from "../test_summary.ts";

const write = (line) => process.stdout.write(`${line}\n`);
const took = (ms) => `(${rounded(ms)}ms)`;
const noted = (word, value) => value ? ` # ${word}${typeof value === "string" ? ` ${value}` : ""}` : "";
const shownError = (caught) =>
  hooks.inspect(caught, { bound: 10_000 }).split("\n").map((line) => `  ${line}`).join("\n");

const spec = {
  announce: (node) => write(`${"  ".repeat(node.depth)}▶ ${node.name}`),
  ended(node, ms, error) {
    const { skipped, todo } = node;
    const indent = "  ".repeat(node.depth);
    const mark = node.announced ? "▶" : skipped ? "﹣" : error && !todo ? "✖" : error ? "⚠" : "✔";
    write(
      `${indent}${mark} ${node.name} ${took(ms)}${noted("SKIP", skipped)}${noted("TODO", !skipped && todo)}`,
    );
    for (const each of node.diagnostics) write(`${indent}ℹ ${each}`);
    if (!error || todo || error.caught?.ofSubtests || node.announced) return;
    write(shownError(error.caught).split("\n").map((line) => indent + line).join("\n") + "\n");
  },
};

/** What is no line of its own would begin a comment, or end the text. */
const tapText = (text) => `${text}`.replace(/[\\#]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
function yaml(key, value, indent) {
  const text = `${value}`;
  if (!text.includes("\n")) return `${indent}  ${key}: '${text.replaceAll("'", "''")}'`;
  return [`${indent}  ${key}: |-`, ...text.split("\n").map((line) => `${indent}    ${line}`)].join("\n");
}
const tap = {
  announce: (node) => write(`${"    ".repeat(node.depth)}# Subtest: ${tapText(node.name)}`),
  ended(node, ms, error, number) {
    const indent = "    ".repeat(node.depth);
    if (!node.announced) tap.announce(node);
    if (node.children.length > 0) write(`${indent}    1..${node.children.length}`);
    const { skipped, todo } = node;
    const lines = [
      `${indent}${error ? "not ok" : "ok"} ${number} - ${tapText(node.name)}${noted("SKIP", skipped)}${
        noted("TODO", !skipped && todo)
      }`,
      `${indent}  ---`,
      `${indent}  duration_ms: ${rounded(ms)}`,
    ];
    if (node.kind === "suite") lines.push(`${indent}  type: 'suite'`);
    if (error) {
      const { caught } = error;
      const { message, code, stack } = caught instanceof Error ? caught : { message: hooks.inspect(caught) };
      const frames = `${stack ?? ""}`.split("\n").filter((line) => /^\s+at /.test(line)).map((line) =>
        line.trim().slice(3)
      );
      lines.push(yaml("failureType", caught?.ofSubtests ? "subtestsFailed" : "testCodeFailure", indent));
      lines.push(yaml("error", message, indent), yaml("code", code ?? "ERR_TEST_FAILURE", indent));
      if (frames.length > 0 && !caught.ofSubtests) {
        lines.push(yaml("stack", `${frames.join("\n")}\n`.trimEnd(), indent));
      }
    }
    write(
      [...lines, `${indent}  ...`, ...node.diagnostics.map((each) => `${indent}# ${tapText(each)}`)].join(
        "\n",
      ),
    );
  },
};

const DOTS_IN_LINE = 20;
const dot = {
  announce() {},
  ended(node, _ms, error, _number, count) {
    process.stdout.write((error && !node.todo ? "X" : ".") + (count % DOTS_IN_LINE === 0 ? "\n" : ""));
  },
};

export const reporters = { spec, tap, dot };
/** How a failure is told at the end. */
export const failureOf = (node, ms, caught) => `✖ ${node.name} ${took(ms)}\n${shownError(caught)}`;
