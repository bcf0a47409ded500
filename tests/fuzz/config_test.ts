import assert from "node:assert/strict";
import fc from "fast-check";
import { FLAVOR_NAMES, FLAVORED } from "../../src/config/limits.ts";
import { ConfigError } from "../../src/config/error.ts";
import { POLICY_KEYS } from "../../src/config/policy_schema.ts";
import { parsePolicy } from "../support/config_harness.ts";
import { runs } from "./runs.ts";

const KEYS = Object.values(POLICY_KEYS).map(({ name }) => name);

const key = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...KEYS) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "timeout_second",
      "flavors",
      "__proto__",
      "constructor",
      "toString",
      '"\\u0000"',
      "a.b",
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
);
const value = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(fc.nat(100), fc.integer(), fc.maxSafeInteger(), fc.double()).map(String) },
  { weight: 1, arbitrary: fc.bigInt().map(String) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '"principal"',
      '"session"',
      '"real"',
      '"virtual"',
      "true",
      "nan",
      "inf",
      "-inf",
      "[1, 2]",
      "{}",
      '{ A = "b" }',
      "1979-05-27",
      "0x10",
      "1_000",
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.string({ maxLength: 10 }) },
);
const header = fc.oneof(
  fc.constantFrom(...FLAVOR_NAMES).map((name) => `[flavors.${name}]`),
  fc.constantFrom(
    "[env]",
    "[flavors]",
    "[flavors.huge]",
    "[[flavors.small]]",
    "[__proto__]",
    "[flavors.__proto__]",
    "[unknown.table]",
  ),
);
const line = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(key, value).map(([key, value]) => `${key} = ${value}`) },
  { weight: 2, arbitrary: header },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
);
const text = fc.array(line, { maxLength: 6 }).map((lines) => lines.join("\n"));

Deno.test("any text is a policy within the schema or one readable error", () => {
  let accepted = 0;
  fc.assert(
    fc.property(text, (text) => {
      let policy;
      try {
        policy = parsePolicy(text, "policy.toml");
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error));
        for (const line of error.message.split("\n")) {
          assert.match(line, /^policy\.toml: .{5,}/su);
          assert.ok(line.length < 1000, line);
        }
        return;
      }
      accepted++;
      for (const [name, key] of Object.entries(POLICY_KEYS)) {
        const limit = policy.limits[name as keyof typeof policy.limits];
        if (limit === null) continue;
        const parsed = key.schema().safeParse(key.value(limit as never));
        assert.ok(parsed.success, `${name} = ${JSON.stringify(limit)}`);
      }
      assert.deepEqual(Object.keys(policy.limits).sort(), Object.keys(POLICY_KEYS).sort());
      assert.deepEqual(Object.keys(policy.flavors).sort(), [...FLAVOR_NAMES].sort());
      for (const flavor of Object.values(policy.flavors)) {
        for (const name of Object.keys(flavor)) {
          assert.ok((FLAVORED as readonly string[]).includes(name), name);
        }
      }
      const { limits } = policy;
      assert.ok(limits.timeoutMs <= limits.maxTimeoutMs);
      assert.ok(limits.maxSessionsPerClient <= limits.maxSessions);
    }),
    runs(1500),
  );
  assert.ok(accepted > 20, `only ${accepted} were accepted`);
});
