import assert from "node:assert/strict";
import fc from "fast-check";
import { runs } from "../../fuzz/runs.ts";
import { DEFAULT_LIMITS, DEFAULT_POLICY, type Limits, withFlavor } from "../../../src/config/limits.ts";
import { ConfigError } from "../../../src/config/error.ts";
import { loadConfiguration } from "../../../src/config/load.ts";
import { PACKAGES_KEYS } from "../../../src/config/packages_schema.ts";
import { POLICY_KEYS } from "../../../src/config/policy_schema.ts";
import { parsePolicy, problemsOf } from "../../support/config_harness.ts";
import { parse } from "smol-toml";

const SHIPPED = await Deno.readTextFile(new URL("../../../config/policy.toml", import.meta.url));
const MIB = 1024 * 1024;

const problems = (text: string) => problemsOf(parsePolicy, text, "policy.toml");

Deno.test("the shipped policy.toml has exactly the keys of the schema", () => {
  const [limits = "", packages = ""] = SHIPPED.split(/^(?=\[packages\])/m);
  const keysOfPackages = [...packages.matchAll(/^(?:# )?([a-z_]+) = /gm)].map((match) =>
    `packages.${match[1]}`
  );
  assert.deepEqual(keysOfPackages.sort(), Object.values(PACKAGES_KEYS).map(({ name }) => name).sort());
  const set = Object.keys(parse(limits)).filter((key) => key !== "flavors");
  const commentedOut = [...limits.matchAll(/^# ([a-z_]+) = /gm)].map((match) => match[1]);
  const known = Object.values(POLICY_KEYS).map(({ name }) => name);
  assert.deepEqual([...set, ...commentedOut].sort(), [...known].sort());
  const withoutDefault = Object.entries(POLICY_KEYS).filter(([key]) =>
    DEFAULT_LIMITS[key as keyof Limits] === null
  );
  assert.deepEqual(commentedOut.sort(), withoutDefault.map(([, { name }]) => name).sort());
});

Deno.test("the shipped policy.toml says the defaults of the code", () => {
  assert.deepEqual(parsePolicy(SHIPPED, "policy.toml"), DEFAULT_POLICY);
  assert.deepEqual(parsePolicy("", "policy.toml"), DEFAULT_POLICY);
});

Deno.test("what the shipped policy.toml has commented out is allowed", () => {
  const everything = SHIPPED.replaceAll(/^# ([a-z_]+ = )/gm, "$1");
  const { limits } = parsePolicy(everything, "policy.toml");
  assert.equal(limits.fuelBudget, 2e9);
  assert.equal(limits.seed, 1);
  assert.equal(limits.sessionMaxAgeMs, 86_400_000);
  assert.ok(!Object.values(limits).includes(null));
});

Deno.test("every limit is read outside of src/config", async () => {
  const read = new Set<string>();
  for await (const text of sources(new URL("../../../src/", import.meta.url))) {
    // An executor is sent all limits, as the settings of a session's Worker.
    for (const [, key] of text.matchAll(/\b(?:limits|settings)\.(\w+)/g)) read.add(key!);
    for (const [, keys] of text.matchAll(/\{([^{}]*)\}(?:: Limits)? = [\w.#()]*\blimits\b/g)) {
      for (const [key] of keys!.matchAll(/\w+/g)) read.add(key);
    }
  }
  assert.deepEqual(Object.keys(DEFAULT_LIMITS).filter((key) => !read.has(key)), []);
});

async function* sources(directory: URL): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    if (isDirectory && name !== "config") yield* sources(new URL(`${name}/`, directory));
    else if (name.endsWith(".ts")) yield await Deno.readTextFile(new URL(name, directory));
  }
}

Deno.test("a value out of its range is told with file, key, value and range", () => {
  assert.deepEqual(problems("timeout_seconds = 0"), [
    "policy.toml: timeout_seconds = 0 is invalid: must be a number from 0.1 to 3600",
  ]);
  assert.deepEqual(problems("memory_bytes = 1.5"), [
    "policy.toml: memory_bytes = 1.5 is invalid: must be a whole number from 33_554_432 to 4_294_967_296",
  ]);
  assert.deepEqual(problems(`clock = "sundial"`), [
    `policy.toml: clock = "sundial" is invalid: must be "real" or "virtual"`,
  ]);
  assert.deepEqual(problems("timeout_seconds = nan"), [
    "policy.toml: timeout_seconds = NaN is invalid: must be a number from 0.1 to 3600",
  ]);
  assert.match(
    problems(`workspace_files = "many"`)[0]!,
    /workspace_files = "many" is invalid: must be a whole number/,
  );
  assert.match(
    problems("[flavors.small]\nmemory_bytes = 1")[0]!,
    /flavors\.small\.memory_bytes = 1 is invalid/,
  );
  assert.match(problems("[env]\nA = 1")[0]!, /env\.A = 1 is invalid: must be text/);
});

Deno.test("unknown keys are errors, with the key that was probably meant", () => {
  assert.deepEqual(problems("memory_byte = 1"), [
    "policy.toml: memory_byte is not a known key; did you mean memory_bytes?",
  ]);
  assert.deepEqual(problems("colour = 1"), ["policy.toml: colour is not a known key"]);
  assert.deepEqual(problems("[flavors.smal]"), [
    "policy.toml: flavors.smal is not a known key; did you mean small?",
  ]);
  assert.deepEqual(problems("[flavors.small]\nmax_sessions = 1"), [
    "policy.toml: flavors.small.max_sessions is not a known key",
  ]);
});

Deno.test("all that is wrong is told at once", () => {
  assert.equal(problems("timeout_seconds = -1\nmax_sessions = 0\ntimeouts = 1\nenv = 3").length, 4);
});

Deno.test("a text that is no TOML is told with line and column", () => {
  assert.match(
    problems("timeout_seconds = 1\nmemory_bytes = = 2")[0]!,
    /^policy\.toml: line 2, column \d+: /,
  );
  assert.equal(problems("timeout_seconds = null").length, 1);
});

Deno.test("limits that contradict each other are errors; defaults give way to what is written", () => {
  assert.deepEqual(problems("timeout_seconds = 60\nmax_timeout_seconds = 10"), [
    "policy.toml: timeout_seconds = 60 is invalid: must be at most max_timeout_seconds = 10",
  ]);
  assert.deepEqual(problems("max_sessions_per_client = 500"), [
    "policy.toml: max_sessions_per_client = 500 is invalid: must be at most max_sessions = 100",
  ]);
  const { limits } = parsePolicy("max_timeout_seconds = 10\nmax_sessions = 3", "policy.toml");
  assert.deepEqual([limits.timeoutMs, limits.maxSessionsPerClient], [10_000, 3]);
});

Deno.test("a flavor may ask for less than the policy, never for more", () => {
  assert.deepEqual(problems(`memory_bytes = ${64 * MIB}\n[flavors.large]\nmemory_bytes = ${128 * MIB}`), [
    "policy.toml: flavors.large.memory_bytes = 134217728 is invalid: must be at most memory_bytes = 67108864",
  ]);
  const policy = parsePolicy(
    `memory_bytes = ${96 * MIB}\n[flavors.small]\nfuel_budget = 5000`,
    "policy.toml",
  );
  const small = withFlavor(policy.limits, policy.flavors.small);
  assert.deepEqual([small.memoryBytes, small.fuelBudget], [64 * MIB, 5000]);
  const medium = withFlavor(policy.limits, policy.flavors.medium);
  assert.deepEqual([medium.memoryBytes, medium.fuelBudget, medium.maxTimeoutMs], [96 * MIB, null, 600_000]);
  assert.deepEqual(withFlavor(policy.limits, policy.flavors.large), policy.limits);
});

Deno.test("whatever number a key is given, the policy has it or the message names it", () => {
  const keys = Object.entries(POLICY_KEYS).filter(([, key]) => typeof key.value(1 as never) === "number");
  const number = fc.oneof(
    fc.integer(),
    fc.integer({ min: 0, max: 10_000 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...keys), number, ([limit, { name, setting: toLimit }], value) => {
      const written = Number.isInteger(value) && Math.abs(value) < 1e15
        ? String(value)
        : value.toExponential();
      if (/^-?\d+e/.test(written)) return;
      try {
        const { limits } = parsePolicy(`${name} = ${written}`, "f.toml");
        assert.equal(limits[limit as keyof Limits], toLimit(Number(written) as never));
      } catch (error) {
        assert.ok(
          error instanceof ConfigError && error.message.startsWith(`f.toml: ${name} = `),
          String(error),
        );
      }
    }),
    runs(100),
  );
});

Deno.test("any text is a policy or a ConfigError", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        parsePolicy(text, "f.toml");
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error));
      }
    }),
    runs(100),
  );
});

Deno.test("a policy that was named must be there", async () => {
  await assert.rejects(loadConfiguration({ policy: "no/such/policy.toml" }, {}), {
    name: "ConfigError",
    message: /^no\/such\/policy\.toml: can't be read/,
  });
});

Deno.test("a list of packages with versions that can't be compared is a mistake: it would forbid nothing", () => {
  for (const rule of ["attrs<latest", "attrs>=1,", "attrs>=1.*", "attrs=1", "<2"]) {
    assert.match(
      problems(`[packages]\ndeny = ["${rule}"]`)[0]!,
      /packages\.deny\.0 = .* is invalid: must be /,
      rule,
    );
  }
  for (const rule of ["lodash@latest", "lodash@", "lodash@<4 or so"]) {
    assert.match(problems(`[packages]\nnpm_deny = ["${rule}"]`)[0]!, /packages\.npm_deny\.0 = /, rule);
  }
  const fine =
    'deny = ["attrs", "attrs >= 23, < 26", "a===1.0", "a==1.*"]\nnpm_deny = ["@s/a@^1 || >=3", "b"]';
  parsePolicy(`[packages]\n${fine}`, "policy.toml");
});
