/** Seeing or changing another session, through code or through any tool. The bystander tells whether it was touched. */

import { calls, family, GAINS_NOTHING, javascript, python, type Stage, yields } from "../attack.ts";

/** Runs the same code in two new sessions; they must not get the same answer. */
function predicts(name: string, language: "python" | "javascript", code: string) {
  return calls(name, "differs from session to session", async ({ run, call, session }: Stage) => {
    const twin = `${session}_twin`;
    const mine = await run(language, code);
    const theirs = await run(language, code, { session: twin });
    await call("destroy_session", { session_id: twin });
    const refused = mine.status === "completed" && theirs.status === "completed" &&
      mine.result !== theirs.result;
    return { refused, got: `${mine.result} and ${theirs.result}` };
  });
}

export const OTHER_SESSIONS = family("other sessions", [
  python("the files of another session", `open("/app/secret.txt").read()`, {
    says: "finds none",
    status: ["failed"],
    error: /FileNotFoundError/,
  }),
  python(
    "every file that can be read",
    `
    import os
    gained = []
    for path, folders, names in os.walk("/"):
        if path in ("/dev", "/data", "/external"): folders.clear(); continue
        if not path.startswith("/usr/"): gained += [name for name in names if os.path.exists(os.path.join(path, name))]
    gained
    `,
    GAINS_NOTHING,
  ),
  python(
    "every object on the heap",
    `import gc\n[type(each) for each in gc.get_objects() if type(each) is dict and isinstance(each.get("secret"), str)]`,
    GAINS_NOTHING,
  ),
  python(
    "a module that shadows the library",
    `open("/app/json.py", "w").write("raise SystemExit(9)")\nopen("/app/hashlib.py", "w").write("raise SystemExit(9)")`,
    yields("19"),
  ),
  python(
    "changing an interpreter's own types",
    `import gc\nfor table in gc.get_referents(str.__dict__): table["polluted"] = 1\nint.__dict__`,
    { says: "stays in its own heap", status: ["completed", "failed", "crashed"] },
    { tampers: true },
  ),
  javascript(
    "the files of another session, in JavaScript",
    `const fs = require("fs"); ["/app", "/tmp"].flatMap((path) => fs.readdirSync(path))`,
    GAINS_NOTHING,
  ),
  javascript(
    "globals of another session",
    `typeof secret + typeof globalThis.secret`,
    yields("'undefinedundefined'"),
  ),
  javascript(
    "polluted prototypes of another session",
    `Object.prototype.polluted = Array.prototype.polluted = 1; 0`,
    yields("0"),
    { tampers: true },
  ),
  predicts("random numbers", "python", "import random\nrandom.random()"),
  predicts("secrets of Python", "python", "import secrets, uuid\n[secrets.token_hex(8), uuid.uuid4()]"),
  predicts("random numbers of JavaScript", "javascript", "Math.random()"),
  predicts("secrets of JavaScript", "javascript", "crypto.randomUUID()"),
  calls(
    "a session that takes a destroyed one's name",
    "finds nothing of it",
    async ({ run, call, session }) => {
      await run("python", "secret = 1\nopen('secret.txt', 'w').close()");
      await run("javascript", "globalThis.secret = 1");
      await call("destroy_session", { session_id: session });
      const { result } = await run("python", "import os\n['secret' in globals(), os.listdir('/app')]");
      const script = await run("javascript", "typeof secret");
      const got = `${result}, ${script.result}`;
      return { refused: got === "[False, []], 'undefined'", got };
    },
  ),
  calls(
    "a session that takes a running one's name",
    "finds nothing of it",
    async ({ run, call, session }) => {
      const running = run("python", "secret = 1\nprint('up', flush=True)\nwhile True: pass", { timeout: 10 });
      await call("destroy_session", { session_id: session });
      const { result } = await run("python", "'secret' in globals()");
      const { status } = await running;
      return {
        refused: result === "False" && ["cancelled", "crashed"].includes(status),
        got: `${result}, ${status}`,
      };
    },
  ),
  calls("a reset while it runs", "is answered, and nothing is left", async ({ run, call, session }) => {
    const running = run("python", "secret = 1\nwhile True: pass", { timeout: 1 });
    await call("reset_workspace", { session_id: session });
    const { result } = await run("python", "'secret' in globals()");
    const { status } = await running;
    return {
      refused: result === "False" && ["timeout", "cancelled"].includes(status),
      got: `${result}, ${status}`,
    };
  }),
]);
