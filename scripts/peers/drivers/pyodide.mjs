// Pyodide: an interpreter of its own for each session. The package's directory is the first argument.

import process from "node:process";
import { pathToFileURL } from "node:url";
import { obey } from "./protocol.mjs";

const directory = process.argv[2];
const { loadPyodide } = await import(pathToFileURL(`${directory}/pyodide.mjs`).href);

async function openSession() {
  const session = { printed: "" };
  session.python = await loadPyodide({
    indexURL: directory,
    stdout: (line) => session.printed += `${line}\n`,
    stderr: () => {},
  });
  return session;
}

function run(session, code) {
  session.printed = "";
  session.python.runPython(code);
  return session.printed;
}

await obey(openSession, run);
