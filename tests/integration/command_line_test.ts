/** The command line: what it says of itself, and what it says of mistakes. */

import assert from "node:assert/strict";
import { COMMAND_NAMES } from "../../src/command_line/commands.ts";
import { UNDER_TEST } from "../support/harness.ts";
import { programCommand, runProgram } from "../support/program.ts";

function test(name: string, fn: () => Promise<void>): void {
  Deno.test(`[${UNDER_TEST}] ${name}`, fn);
}

/** Wrong command lines, and what stderr says first. */
const WRONG: readonly (readonly [args: readonly string[], said: string])[] = [
  [["serv"], 'unknown command "serv": did you mean "serve"?'],
  [["fly"], 'unknown command "fly"'],
  [["http"], 'unknown command "http": did you mean "wasmbox --http"?'],
  [["script.py"], 'unknown command "script.py": did you mean "wasmbox run script.py"?'],
  [["--prot", "80"], 'serve has no flag --prot: did you mean "--port"?'],
  [["serve", "-http"], 'unknown flag -http: did you mean "--http"?'],
  [["--http", "--port"], "--port PORT: the value is missing"],
  [["serve", "--policy", "--http"], "--policy FILE: the value is missing"],
  [["serve", "--http=yes"], '--http takes no value, and was given "yes"'],
  [["serve", "--json"], "serve has no flag --json; it is one of config and selftest"],
  [["serve", "now"], 'unexpected argument "now"'],
  [["doctor", "--help-me"], "doctor has no flag --help-me"],
  [["--version", "--http"], 'unexpected argument "--http" after --version'],
  [["help", "instal"], 'unknown command "instal": did you mean "install"?'],
  [["run"], "nothing to run: name a file, or give code by -c"],
  [["run", "-c"], "-c, --code CODE: the value is missing"],
  [["run", "--language", "pyton", "-c", "1"], '--language can\'t be "pyton": did you mean "python"?'],
  [["run", "--timeout", "soon", "-c", "1"], '--timeout can\'t be "soon": it is a number of seconds'],
  [["install", "--client", "claude"], '--client can\'t be "claude": it is one of claude-desktop'],
  [["install", "--client", "cursor", "--", "--prot"], 'serve has no flag --prot: did you mean "--port"?'],
  [["completions"], "completions needs an argument: bash | zsh | fish"],
  [["completions", "tcsh"], 'the argument can\'t be "tcsh": did you mean'],
];

test("a wrong command line is told what is wrong with it, and what was probably meant", async () => {
  for (const [args, said] of WRONG) {
    const { code, out, err } = await runProgram(args);
    assert.deepEqual([code, out], [2, ""], args.join(" "));
    assert.ok(err.startsWith(`wasmbox: ${said}`), `${args.join(" ")}: ${err}`);
    assert.match(err, /\nTry "wasmbox help( [a-z]+)?"\.\n$/);
  }
});

test("the documents have twelve wrong command lines, and what is said of them", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/TROUBLESHOOTING.md", import.meta.url));
  const rows = [...text.matchAll(/^\| `wasmbox (.+?)` +\| `(.+?)` +\|$/gm)];
  assert.equal(rows.length, 12);
  for (const [, args = "", said] of rows) {
    const { code, err } = await runProgram(args.split(" "));
    assert.equal(code, 2, args);
    assert.ok(err.startsWith(`wasmbox: ${said}\n`), `${args}: ${err}`);
  }
});

test("a misspelled variable is told of, and the one that was meant", async () => {
  const { code, err } = await runProgram(["config"], { env: { WASMBOX_POLICY_TIMEOUT_SECOND: "5" } });
  assert.equal(code, 2);
  assert.match(
    err,
    /WASMBOX_POLICY_TIMEOUT_SECOND is not a known variable; did you mean WASMBOX_POLICY_TIMEOUT_SECONDS\?/,
  );
});

test("help and version are commands and flags, for all and for each command", async () => {
  const [help, flag] = [await runProgram(["help"]), await runProgram(["--help"])];
  assert.deepEqual([help.code, help.err, help.out], [0, "", flag.out]);
  for (const name of COMMAND_NAMES) assert.match(help.out, new RegExp(`^ {2}${name} +[a-z]`, "m"));
  assert.match((await runProgram(["version"])).out, /^wasmbox \d+\.\d+\.\d+\n$/);
  const serve = await runProgram(["serve", "--help"]);
  assert.equal(serve.out, (await runProgram(["help", "serve"])).out);
  assert.match(serve.out, /^ {2}--port PORT +where to listen$/m);
});

test("flags alone are those of serve", async () => {
  const { command, args } = programCommand();
  const server = new Deno.Command(command, {
    args: [...args, "--http", "--port", "0"],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let log = "";
  for await (const text of server.stderr.pipeThrough(new TextDecoderStream())) {
    if (!log.includes("listening on http") && (log += text).includes("listening on http")) {
      server.kill("SIGTERM");
    }
  }
  assert.match(log, /listening on http:\/\/127\.0\.0\.1:\d+\/mcp/);
});

const hasTerminals = await new Deno.Command("script", { args: ["--version"] }).output()
  .then(({ success }) => success, () => false);

Deno.test({
  name:
    `[${UNDER_TEST}] whoever starts it by hand, without arguments, is told what it is and how to connect it`,
  ignore: !hasTerminals,
  async fn() {
    const { command, args } = programCommand();
    const line = [command, ...args].map((arg) => `'${arg}'`).join(" ");
    const { stdout } = await new Deno.Command("script", {
      args: ["-qec", line, "/dev/null"],
      stdin: "null",
    }).output();
    const said = new TextDecoder().decode(stdout);
    assert.match(said, /runs untrusted Python, JavaScript and shell code for MCP clients/);
    assert.match(said, /wasmbox install --client NAME/);
  },
});

test("bash completes commands, flags and values by what the program prints", async () => {
  const { out } = await runProgram(["completions", "bash"]);
  const complete = async (...words: string[]) => {
    const script = `${out}\nCOMP_WORDS=(wasmbox ${words.map((word) => `'${word}'`).join(" ")}); ` +
      `COMP_CWORD=${words.length}; _wasmbox; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = await new Deno.Command("bash", { args: ["--norc", "-c", script] }).output();
    assert.equal(new TextDecoder().decode(stderr), "");
    return new TextDecoder().decode(stdout).trim().split("\n");
  };
  assert.deepEqual(await complete("inst"), ["install"]);
  assert.deepEqual(await complete("serve", "--po"), ["--policy", "--port"]);
  assert.deepEqual(await complete("--ht"), ["--http"]);
  assert.deepEqual(await complete("install", "--client", "c"), [
    "claude-desktop",
    "claude-code",
    "cursor",
    "codex",
  ]);
  assert.deepEqual(await complete("completions", "z"), ["zsh"]);
});

test("zsh and fish get every command too, and the manual page names every flag", async () => {
  const [zsh, fish, manual] = await Promise.all(
    [["completions", "zsh"], ["completions", "fish"], ["man"]].map((args) => runProgram(args)),
  );
  for (const name of COMMAND_NAMES) {
    assert.match(zsh!.out, new RegExp(`^ {4}'${name}:`, "m"));
    assert.match(fish!.out, new RegExp(`^complete -c wasmbox -n __fish_use_subcommand -a ${name} `, "m"));
    assert.match(manual!.out, new RegExp(`^\\.SS "wasmbox ${name}[" ]`, "m"));
  }
  assert.match(manual!.out, /^\.TH WASMBOX 1 /);
  assert.match(manual!.out, /^\.B \\-\\-allow\\-unauthenticated$/m);
});

test("the licences of all that is embedded are printed, of an executable those of its own libraries too", async () => {
  const { code, out } = await runProgram(["licenses"]);
  assert.equal(code, 0);
  assert.match(out, /^CPython,[^]*\nLicence: PSF-2\.0\n/m);
  assert.equal(/^zod@\d\S* \(npm\)\nLicence: MIT\n/m.test(out), UNDER_TEST === "executable");
});
