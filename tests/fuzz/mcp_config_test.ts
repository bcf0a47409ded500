import assert from "node:assert/strict";
import fc from "fast-check";
import { readEnvironment } from "../../src/config/environment.ts";
import { ConfigError } from "../../src/config/error.ts";
import { merge, Problems } from "../../src/config/layer.ts";
import { KEYS } from "../../src/config/load.ts";
import { mcpSettingsOf } from "../../src/config/mcp.ts";
import { HTTP_KEYS, LOG_KEYS, SERVER_KEYS, STDIO_KEYS } from "../../src/config/mcp_schema.ts";
import { variableFor } from "../../src/config/environment.ts";
import { parseMcp } from "../support/config_harness.ts";
import { runs } from "./runs.ts";

const GROUPS = { server: SERVER_KEYS, stdio: STDIO_KEYS, http: HTTP_KEYS, log: LOG_KEYS } as const;
const NAMES = Object.values(GROUPS).flatMap((keys) => Object.values(keys)).map(({ name }) => name);

const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...NAMES) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "transport_http",
      "transport_http.__proto__",
      "constructor.a",
      "logging.level.x",
      '""',
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
);
const value = fc.oneof(
  { weight: 4, arbitrary: fc.oneof(fc.nat(100), fc.integer(), fc.double()).map(String) },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      "true",
      '"stdio"',
      '"HTTP"',
      '"small"',
      '"127.0.0.1"',
      '"/x"',
      '"https://a.example"',
      '["*"]',
      '["auto", "https://a.example"]',
      '["10.0.0.0/8"]',
      '["10.0.0.0/99"]',
      '"0123456789abcdef"',
      '{ alice = "0123456789abcdef" }',
      "{}",
      "[]",
      "[[]]",
      "1979-05-27",
      "nan",
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 10 }) },
);
const text = fc.array(fc.tuple(name, value).map(([name, value]) => `${name} = ${value}`), { maxLength: 4 })
  .map((lines) => lines.join("\n"));

/** Every setting is one that its key allows. */
function checkSettings(settings: ReturnType<typeof mcpSettingsOf>): void {
  for (const [group, keys] of Object.entries(GROUPS)) {
    const held = settings[group as keyof typeof GROUPS] as unknown as Record<string, unknown>;
    assert.deepEqual(Object.keys(held).sort(), Object.keys(keys).sort());
    for (const [setting, key] of Object.entries(keys)) {
      if (held[setting] === null) continue;
      assert.ok(
        key.schema().safeParse(key.value(held[setting] as never)).success,
        `${key.name} = ${held[setting]}`,
      );
    }
  }
}

Deno.test("any text is a server's settings within the schema or one readable error", () => {
  let accepted = 0;
  fc.assert(
    fc.property(text, (text) => {
      try {
        const { options: _, ...settings } = parseMcp(text, "mcp.toml");
        checkSettings(settings);
        accepted++;
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error));
        for (const line of error.message.split("\n")) assert.ok(line.length > 5 && line.length < 1000, line);
      }
    }),
    runs(1000),
  );
  assert.ok(accepted > 50, `only ${accepted} were accepted`);
});

Deno.test("any environment is settings within the schema or problems that name its variables", () => {
  const variable = fc.constantFrom(
    ...[...KEYS.keys()].map(variableFor),
    "MCP_TRANSPORT",
    "MCP_PORT",
    "MCP_ENABLE_CORS",
    "MSB_MAX_SESSIONS",
    "MSB_MAX_TOTAL_MEMORY_MB",
    "WASMBOX_AUTH_TOKENS",
    "WASMBOX_X",
  );
  const content = fc.oneof(
    fc.constantFrom(
      "1",
      "true",
      "stdio",
      "*",
      "10.0.0.1",
      "a=0123456789abcdef",
      "{}",
      "[",
      "[1]",
      '{"a":1}',
      "/m",
    ),
    fc.string({ maxLength: 12 }),
    fc.integer().map(String),
  );
  fc.assert(
    fc.property(fc.dictionary(variable, content, { maxKeys: 4, noNullPrototype: true }), (env) => {
      const problems = new Problems();
      const { layer } = readEnvironment(env, KEYS, problems);
      checkSettings(mcpSettingsOf(merge(layer)));
      try {
        problems.check();
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error));
        for (const line of error.message.split("\n")) {
          assert.ok(Object.keys(env).some((name) => line.startsWith(`environment: ${name}`)), line);
        }
      }
    }),
    runs(1000),
  );
});
