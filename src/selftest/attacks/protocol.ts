/** The protocol itself: arguments, lines and requests of hostile shapes, and more of them than are allowed. */

import { calls, type CallsAttack, family, type Stage, type Unfiled } from "../attack.ts";
import type { Answer } from "../client.ts";

const encoder = new TextEncoder();

function line(name: string, expected: string, bytes: string | Uint8Array, code: number): Unfiled {
  return calls(name, expected, async ({ client }) => {
    const sent = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
    const { fault } = await client.requestAnonymous(sent);
    return { refused: fault?.code === code, got: `${fault?.code}: ${fault?.message}` };
  });
}

/** A call of execute_code, its arguments as text, that must not be carried out. */
function refused(name: string, args: (session: string) => string): Unfiled {
  return calls(name, "is refused", async ({ client, session }) => {
    const params = `{"name":"execute_code","arguments":${args(session)}}`;
    const answer = await client.requestText(
      `{"jsonrpc":"2.0","id":$ID,"method":"tools/call","params":${params}}`,
    );
    return { refused: answer.fault !== null || answer.isError, got: tell(answer) };
  });
}

function tell({ fault, structured, isError }: Answer): string {
  if (fault) return `${fault.code}: ${fault.message}`;
  const error = structured["error"] as { error_code: string; message: string } | null | undefined;
  return isError ? `${error?.error_code}: ${error?.message}` : JSON.stringify(structured).slice(0, 100);
}

/** A method or tool that does not exist, but whose name every object has. */
function unknown(name: string, request: (stage: Stage, name: string) => Promise<Answer>): Unfiled {
  const carryOut: CallsAttack["carryOut"] = async (stage) => {
    const through: string[] = [];
    for (
      const each of [
        "__proto__",
        "constructor",
        "toString",
        "valueOf",
        "hasOwnProperty",
        "",
        "execute_code ",
        "EXECUTE_CODE",
        "x".repeat(100_000),
      ]
    ) {
      const answer = await request(stage, each);
      if (!answer.fault && !answer.isError) through.push(each);
    }
    return { refused: through.length === 0, got: `through: ${through.join(", ") || "none"}` };
  };
  return calls(name, "none is found", carryOut);
}

export const PROTOCOL = family("protocol", [
  line("a line that is not JSON", "-32700", "{nonsense\n", -32700),
  line("a line that is not UTF-8", "-32700", new Uint8Array([0x22, 0xff, 0xfe, 0x22, 0x0a]), -32700),
  line(
    "JSON of a hundred thousand levels",
    "-32700 or -32600",
    `${"[".repeat(100_000)}${"]".repeat(100_000)}\n`,
    -32600,
  ),
  line("a line of 20 MB", "-32600", `{"x":"${"x".repeat(20_000_000)}"}\n`, -32600),
  line("a batch", "-32600", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n`, -32600),
  refused(
    "__proto__ among the arguments",
    (session) => `{"session_id":"${session}","__proto__":{"code":"1","polluted":1}}`,
  ),
  refused(
    "constructor among the arguments",
    (session) => `{"session_id":"${session}","constructor":{"prototype":{"code":"1","polluted":1}}}`,
  ),
  refused(
    "arguments of a hundred thousand levels",
    (session) =>
      `{"code":"1","session_id":"${session}","x":${'{"x":'.repeat(100_000)}1${"}".repeat(100_000)}}`,
  ),
  refused(
    "a hundred thousand arguments",
    (session) =>
      `{"code":"1","session_id":"${session}"${
        Array.from({ length: 100_000 }, (_, n) => `,"x${n}":1`).join("")
      }}`,
  ),
  refused("arguments that are a list", () => `["1"]`),
  refused("arguments that are nothing", () => `null`),
  refused("code that is no text", (session) => `{"code":{"toString":"x"},"session_id":"${session}"}`),
  refused("code of 2 MB", (session) => `{"code":"${"#".repeat(2_000_000)}","session_id":"${session}"}`),
  refused("code with a NUL", (session) => String.raw`{"code":"1\u0000","session_id":"${session}"}`),
  refused(
    "code with half a surrogate",
    (session) => String.raw`{"code":"'\ud800'","session_id":"${session}"}`,
  ),
  refused(
    "a language that objects have by nature",
    (session) => `{"code":"1","language":"__proto__","session_id":"${session}"}`,
  ),
  refused(
    "a language that is a path",
    (session) => `{"code":"1","language":"../python","session_id":"${session}"}`,
  ),
  unknown("tools that objects have by nature", ({ call }, name) => call(name, {})),
  unknown("methods that objects have by nature", ({ client }, name) => client.request(name, {})),
  calls("__proto__ in the request itself", "pollutes nothing", async ({ client, session }) => {
    const answer = await client.requestText(
      `{"jsonrpc":"2.0","id":$ID,"__proto__":{"polluted":1},"method":"tools/call","params":{"__proto__":{"arguments":{"code":"2"}},"name":"execute_code","arguments":{"code":"1","session_id":"${session}"}}}`,
    );
    const refused = answer.fault !== null || answer.structured["result"] === "1";
    return { refused, got: tell(answer) };
  }),
  calls(
    "five hundred calls at once on one session",
    "each is answered, some with SESSION_BUSY",
    async ({ call, session }) => {
      const sent = Array.from(
        { length: 500 },
        () => call("execute_code", { code: "1", session_id: session }),
      );
      const answers = await Promise.all(sent);
      const busy = answers.filter(({ isError }) => isError).length;
      const done = answers.filter(({ structured }) => structured["result"] === "1").length;
      return { refused: busy + done === 500 && done > 0 && busy > 0, got: `${done} done, ${busy} busy` };
    },
  ),
  calls("a hundred sessions", "TOO_MANY_SESSIONS, and the others live on", async ({ call, session }) => {
    const made: string[] = [];
    let got = "no refusal";
    for (let n = 0; n < 100 && got === "no refusal"; n++) {
      const session_id = `${session}_${n}`;
      const answer = await call("create_session", { session_id });
      if (answer.isError) got = tell(answer);
      else made.push(session_id);
    }
    for (const session_id of made) await call("destroy_session", { session_id });
    return { refused: got.startsWith("TOO_MANY_SESSIONS"), got };
  }),
  calls("requests cancelled as they are sent", "the next is answered", async ({ client, run, session }) => {
    for (let n = 0; n < 20; n++) {
      const requestId = `cancelled-${n}`;
      const params = {
        name: "execute_code",
        arguments: { code: "while True: pass", session_id: session, timeout: 1 },
      };
      client.send({ jsonrpc: "2.0", id: requestId, method: "tools/call", params });
      client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
    }
    const { result } = await run("python", "6 * 7");
    return { refused: result === "42", got: `${result}` };
  }),
]);
