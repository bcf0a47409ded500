#!/usr/bin/env node
/** Starts wasmbox with the Deno that npm has brought along. */
"use strict";

const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { dirname, join } = require("node:path");
const process = require("node:process");

const OPTIONS = __OPTIONS__;
const VERSION = __VERSION__;

function findDeno() {
  const directory = dirname(require.resolve("deno/package.json"));
  const path = join(directory, process.platform === "win32" ? "deno.exe" : "deno");
  // It is put there by a script of the package, which npm may have been told not to run.
  return existsSync(path) ? path : require(join(directory, "install_api.cjs")).runInstall();
}

// Where npx keeps what it was asked for it may be gone one day.
const launcher = /[\\/]_npx[\\/]/.test(__filename)
  ? { command: "npx", args: ["-y", `wasmbox@${VERSION}`] }
  : { command: process.execPath, args: [__filename] };
const main = join(__dirname, "program", "main.js");
const child = spawn(findDeno(), [...OPTIONS, main, ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, WASMBOX_LAUNCHER: JSON.stringify(launcher) },
});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
// A terminal sends it to both.
process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
child.on("error", (error) => {
  console.error(`wasmbox: Deno can't be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
