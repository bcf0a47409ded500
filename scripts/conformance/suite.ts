/** The official conformance suite, run as its own program on the running Deno. */

import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

/** Revisions whose requirement sets are run: the last one with sessions, and the stateless one. */
export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
export type Revision = typeof REVISIONS[number];

export interface Scenario {
  readonly name: string;
  /** Its checks. */
  readonly passed: number;
  readonly failed: number;
  /** Why the revision does not require it; absent where it does. */
  readonly notScored?: string;
}

const PACKAGES = fileURLToPath(new URL("../../tests/support/clients/deno.json", import.meta.url));

/** Pinned here and, with all that it needs, in tests/clients. */
const SUITE = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";

/** @returns Every scenario of the revision, required or not, as the server at `url` met it. */
export async function runSuite(url: URL, revision: Revision): Promise<Scenario[]> {
  const report = await suite(["--url", url.href, "--requirements", revision]);
  const [, summary = "", notScored = ""] = /=== SUMMARY ===\n(.*?)\nTotal: [^\n]*\n(.*)/s.exec(report) ?? [];
  const reasons = new Map(
    [...notScored.matchAll(/^ +[✓✗] (\S+) \((.+)\)$/gm)].map(([, name, reason]) => [name!, reason!]),
  );
  const scenarios = [...summary.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed$/gm)];
  if (scenarios.length === 0) throw new Error(`the suite did not run:\n${report}`);
  return scenarios.map(([, name, passed, failed]) => {
    const reason = reasons.get(name!);
    return {
      name: name!,
      passed: Number(passed),
      failed: Number(failed),
      ...reason !== undefined && { notScored: reason },
    };
  });
}

/** Runs one scenario by itself. @returns What the suite says of its checks. */
export async function explain(url: URL, revision: Revision, scenario: string): Promise<string> {
  return await suite(["--url", url.href, "--scenario", scenario, "--spec-version", revision, "--force"]);
}

/** A scenario without a check that passed has shown nothing. */
export function passes({ passed, failed }: Scenario): boolean {
  return failed === 0 && passed > 0;
}

async function suite(args: readonly string[]): Promise<string> {
  const permissions = ["--no-prompt", "--allow-read", "--allow-env", "--allow-sys", "--allow-net"];
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--frozen", `--config=${PACKAGES}`, ...permissions, SUITE, "server", ...args],
    stdin: "null",
  }).output();
  return stripVTControlCharacters(new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
}
