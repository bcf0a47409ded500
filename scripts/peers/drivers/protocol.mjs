// Reads a command a line, writes an answer a line, as protocol.py does. Runs in Node and in Deno.

import process from "node:process";
import { createInterface } from "node:readline";

/** @param openSession Makes one. @param run Runs a program in it and gives what it printed. */
export async function obey(openSession, run) {
  const sessions = new Map();
  for await (const line of createInterface({ input: process.stdin })) {
    let answer;
    try {
      const { session, code, times } = JSON.parse(line);
      const ms = [];
      let output;
      for (let i = 0; i < times; i++) {
        const start = performance.now();
        if (!sessions.has(session)) sessions.set(session, await openSession());
        output = await run(sessions.get(session), code);
        ms.push(performance.now() - start);
      }
      answer = { ms, output };
    } catch (error) {
      answer = { error: String(error) };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}
