/**
 * `deno task tokens [--write]`: what a model reads, in tokens: tools/list tool by tool, the instructions, and ten typical
 * replies. With --write the tables become those of docs/measured/TOKENS.md.
 */

import { TestServer } from "../tests/support/harness.ts";
import { tokensOf } from "../tests/support/tokens.ts";
import { ensureAssets } from "./assets/mod.ts";
import { writeMeasured } from "./measured.ts";
import { sourceCommand } from "./source_command.ts";

type Row = readonly (string | number)[];

const python = (code: string) => ({ tool: "execute_code", args: { code } });

/** One after the other, in one session. */
const CALLS: Readonly<Record<string, { readonly tool: string; readonly args: Record<string, unknown> }>> = {
  "a sum": python("1 + 1"),
  "ten lines of output": python("for i in range(10): print(i, i * i)"),
  "an error": python("def mean(xs): return sum(xs) / len(xs)\nmean([])"),
  "a file written": {
    tool: "write_file",
    args: { path: "mine.py", content: "def twice(x):\n    return 2 * x\n" },
  },
  "a module imported": python("import mine\nmine.twice(21)"),
  "files made": python(
    "import csv\nfor n in range(3):\n  with open(f'part{n}.csv', 'w') as f: csv.writer(f).writerow([n, n * n])",
  ),
  "a chart": python(
    "import pygal\nchart = pygal.Line()\nchart.add('sales', [3, 5, 4])\ndisplay(chart)",
  ),
  "a shell's command": { tool: "execute_command", args: { command: "ls -l; wc -c *.csv" } },
  "a file read": { tool: "read_file", args: { path: "mine.py" } },
  "files listed": { tool: "list_files", args: {} },
};

/** @returns A Markdown table with a last line of sums. */
function table(head: readonly string[], rows: readonly Row[]): string {
  const sums = head.slice(1).map((_, column) =>
    rows.reduce((sum, row) => sum + Number(row[column + 1] ?? 0), 0)
  );
  const line = (cells: Row) => `| ${cells.join(" | ")} |`;
  return [
    line(head),
    line(head.map((_, column) => column === 0 ? "---" : "---:")),
    ...rows.map(line),
    line(["together", ...sums]),
  ].join("\n");
}

async function toolRows({ client }: TestServer): Promise<Row[]> {
  const { tools } = await client.listTools();
  const rows = tools.map((tool): Row => [
    tool.name,
    tokensOf(tool.description),
    tokensOf(tool.inputSchema),
    tokensOf(tool.outputSchema),
    tokensOf(tool),
  ]);
  return [...rows, ["instructions", 0, 0, 0, tokensOf(client.getInstructions())]];
}

/** Clients show models the text or the structured content, seldom both; pictures are counted by nobody the same way. */
async function replyRows({ client }: TestServer): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, { tool, args }] of Object.entries(CALLS)) {
    const { content, structuredContent } = await client.callTool({ name: tool, arguments: args });
    const shown = content.filter((block) => block.type !== "image");
    const text = shown.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
    rows.push([name, tokensOf(text), tokensOf(shown), tokensOf(structuredContent)]);
  }
  return rows;
}

/** What was measured before tools were described for models. */
const BEFORE = { tools: 11_221, replies: 2_050 };

function comparison(tools: readonly Row[], replies: readonly Row[]): string {
  const sum = (rows: readonly Row[], column: number) =>
    rows.reduce((all, row) => all + Number(row[column]), 0);
  const listed = tools.filter(([name]) => name !== "instructions");
  const line = (what: string, before: number, now: number) =>
    `| ${what} | ${before} | ${now} | ${Math.round(100 * now / before)} % |`;
  return [
    "| | before | now | of before |",
    "| --- | ---: | ---: | ---: |",
    line("tools/list", BEFORE.tools, sum(listed, 4)),
    line("ten replies: structured content", BEFORE.replies, sum(replies, 3)),
    line("ten replies: structured content then, content now", BEFORE.replies, sum(replies, 2)),
  ].join("\n");
}

await ensureAssets();
await using server = await TestServer.start(sourceCommand());
const [tools, replies] = [await toolRows(server), await replyRows(server)];
const report = [
  comparison(tools, replies),
  table(["tool", "description", "inputSchema", "outputSchema", "all"], tools),
  table(["reply", "text", "content", "structuredContent"], replies),
].join("\n\n");
console.log(report);
if (Deno.args.includes("--write")) await writeMeasured("TOKENS", "scripts/tokens.ts", report);
