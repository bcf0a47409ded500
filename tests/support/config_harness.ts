/** Reads configurations as the server does, but from texts. */

import assert from "node:assert/strict";
import { readDocument } from "../../src/config/document.ts";
import { ConfigError } from "../../src/config/error.ts";
import { Problems } from "../../src/config/layer.ts";
import type { Policy } from "../../src/config/limits.ts";
import { httpOptionsOf, MCP_DOCUMENT, mcpSettingsOf } from "../../src/config/mcp.ts";
import { POLICY_DOCUMENT, policyOf } from "../../src/config/policy.ts";

/** @throws {ConfigError} */
export function parsePolicy(text: string, file: string): Policy {
  const problems = new Problems();
  const layer = readDocument(text, file, POLICY_DOCUMENT, problems);
  problems.check();
  const policy = policyOf(layer, problems);
  problems.check();
  return policy;
}

/** @throws {ConfigError} */
export function parseMcp(text: string, file: string) {
  const problems = new Problems();
  const settings = mcpSettingsOf(readDocument(text, file, MCP_DOCUMENT, problems));
  problems.check();
  return { ...settings, options: httpOptionsOf(settings.http) };
}

/** The lines that the operator is told. */
export function problemsOf(
  parse: (text: string, file: string) => unknown,
  text: string,
  file: string,
): string[] {
  try {
    parse(text, file);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message.split("\n");
  }
  throw new Error("it was accepted");
}
