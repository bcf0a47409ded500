// Node itself, with nothing around programs.

import vm from "node:vm";
import { obey } from "./protocol.mjs";

await obey(() => ({}), (_session, code) => {
  const printed = [];
  const { log } = console;
  console.log = (...values) => printed.push(`${values.join(" ")}\n`);
  try {
    vm.runInThisContext(code);
  } finally {
    console.log = log;
  }
  return printed.join("");
});
