/** The report of a self-test, as text or JSON. */

import type { AssetCheck } from "./asset_hashes.ts";
import type { Verdict } from "./verdict.ts";

export interface SelftestReport {
  readonly versions: Readonly<Record<string, string>>;
  readonly attacks: readonly Verdict[];
  readonly assets: readonly AssetCheck[];
  readonly seconds: number;
}

const MOST_SHOWN = 160;

/** True if no attack got through and every asset is what was built. */
export function passed({ attacks, assets }: SelftestReport): boolean {
  return attacks.length > 0 && attacks.every(({ ok }) => ok) && assets.every(({ ok }) => ok);
}

export function asText(report: SelftestReport): string {
  const { attacks, assets, versions, seconds } = report;
  const through = attacks.filter(({ ok }) => !ok).length;
  const wrong = assets.filter(({ ok }) => !ok).length;
  return [
    ...attacks.map(attackLine),
    "",
    ...assets.map(({ name, found, ok }) =>
      `asset ${name}: sha256 ${found ?? "missing"}: ${ok ? "ok" : "FAILED"}`
    ),
    ...Object.entries(versions).map(([name, version]) => `${name} ${version}`),
    "",
    `${attacks.length} attacks, ${through || "none"} through; ${assets.length} assets, ${
      wrong || "none"
    } wrong; ${seconds.toFixed(0)} s: ${passed(report) ? "ok" : "FAILED"}`,
    "",
  ].join("\n");
}

export function asJson(report: SelftestReport): string {
  return `${JSON.stringify({ ...report, passed: passed(report) }, null, 2)}\n`;
}

function attackLine({ family, name, expected, got, complaints, ok }: Verdict): string {
  const line = `${family}: ${name} → ${expected} → ${printable(got)}: ${ok ? "ok" : "FAILED"}`;
  return [line, ...complaints.map((complaint) => `    ${printable(complaint, 1000)}`)].join("\n");
}

/** What a guest said, on one line and without anything that a terminal would act on. */
function printable(text: string, most = MOST_SHOWN): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replace(
    // deno-lint-ignore no-control-regex
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g,
    (found) => found === "\n" ? " " : "·",
  );
}
