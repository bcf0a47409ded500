/** The process that sessions share ends, whenever that is worst: they are told the truth, and go on from their checkpoints. */

import { LANGUAGE_NAMES } from "../../languages.ts";
import { calls, family, type Unfiled } from "../attack.ts";
import { executorsOf } from "../executors.ts";
import { HeldState } from "../held_state.ts";
import { told } from "../series.ts";

/** Carried out where the processes of a server can be found out; what is wrong is added to the state's list. */
function loss(name: string, expected: string, carryOut: (state: HeldState) => Promise<void>): Unfiled {
  return calls(name, expected, async (stage) => {
    if (await executorsOf(stage.client.pid) === undefined) {
      return { refused: true, got: "not tried: this platform does not tell a server's processes" };
    }
    const state = new HeldState(stage);
    await carryOut(state);
    return { refused: state.wrong.length === 0, got: state.wrong.join("; ") || "all of it" };
  }, { endsExecutor: true });
}

export const EXECUTOR_LOSS = family("executor loss", [
  loss("a kill between two calls", "variables and files of all languages come back", async (state) => {
    await state.hold(LANGUAGE_NAMES);
    await state.kill();
    await state.expectHeld(LANGUAGE_NAMES);
  }),
  loss(
    "a kill while sessions run programs of all languages that have changed everything",
    "each is told that it was rolled back, and was; one without a checkpoint, that nothing is left",
    async (state) => {
      const sessionOf = (what: string) => `${state.stage.session}_${what}`;
      for (const language of LANGUAGE_NAMES) await state.hold([language], sessionOf(language));
      const begun = await Promise.all(
        LANGUAGE_NAMES.map((language) => state.spoil(language, { session: sessionOf(language) })),
      );
      const first = await state.begin("python", "held = 1; print('begun')\nwhile True: pass");
      await state.kill("SIGTERM");
      await state.expectLost(first.reply, "reset");
      const { result } = await state.look("python", "'held' in globals()");
      if (result !== "False") state.wrong.push(`of what was reset something is left: ${result}`);
      for (const { reply } of begun) await state.expectLost(reply);
      for (const language of LANGUAGE_NAMES) {
        await state.expectHeld([language], sessionOf(language));
        await state.stage.call("destroy_session", { session_id: sessionOf(language) });
      }
    },
  ),
  loss("a kill while files are written", "the files of the checkpoint, and no others", async (state) => {
    await state.hold(["python"]);
    const { reply } = await state.begin(
      "python",
      `
import os
os.rename('python.txt', 'moved.txt')
n = 0
while True:
    n += 1
    os.makedirs(f'd{n}', exist_ok=True)
    with open(f'd{n}/f', 'wb') as file: _ = file.write(os.urandom(20_000))
    if n == 20: print('begun', flush=True)
    if n > 200: os.remove(f'd{n - 200}/f')`,
    );
    await state.kill();
    await state.expectLost(reply);
    await state.expectHeld(["python"]);
    const { result } = await state.look("python", "import os\nos.listdir()");
    if (result !== "['python.txt']") state.wrong.push(`there are ${result}`);
  }),
  loss(
    "a kill while a checkpoint of 30 MB is sent",
    "all of the run or nothing of it, and its loss is told",
    async (state) => {
      const { session, run } = state.stage;
      await state.hold(["python"]);
      await run("python", "held = [__import__('os').urandom(30_000_000)]; _ = open('new', 'w').write('new')");
      await state.kill();
      const { stdout, notice } = await state.look(
        "python",
        "import os\nprint(len(held[0]), *sorted(os.listdir()))",
        session,
      );
      const undone = stdout === "6 python.txt\n" && notice !== null;
      const done = stdout === "30000000 new python.txt\n" && notice === null;
      if (!undone && !done) state.wrong.push(`it holds "${stdout}" and is told ${notice}`);
    },
  ),
  loss("a kill while calls wait for their turn", "each runs once, in its turn", async (state) => {
    await state.hold(["python"]);
    const { reply } = await state.spoil("python");
    const waiting = [1, 2, 3].map((n) => state.stage.run("python", `held.append('${n}')`));
    await state.kill();
    await state.expectLost(reply);
    for (const { status } of await Promise.all(waiting)) {
      if (status !== "completed") state.wrong.push(`a waiting call ended as ${status}`);
    }
    const { result } = await state.look("python", "held");
    if (result !== "['python', '1', '2', '3']") state.wrong.push(`it holds ${result}`);
  }),
  loss("a kill as a file is written by its client", "the whole file, or none and an error", async (state) => {
    const { call, session } = state.stage;
    await state.hold(["python"]);
    const content = "x".repeat(3_000_000);
    const written = call("write_file", { session_id: session, path: "new", content });
    await state.kill();
    const { isError } = await written;
    const { result, notice } = await state.look(
      "python",
      "import os\nos.path.getsize('new') if os.path.exists('new') else 'none'",
    );
    if (isError && result !== "'none'") state.wrong.push(`an error, but there are ${result} bytes`);
    if (!isError && result !== "3000000" && notice === null) {
      state.wrong.push(`it is ${result}, and nobody said so`);
    }
  }),
  loss("a kill as a run is cancelled", "one answer, and what it says of the state is so", async (state) => {
    const { call, session } = state.stage;
    await state.hold(["python"]);
    const { reply } = await state.spoil("python");
    const cancelled = call("cancel_execution", { session_id: session });
    await state.kill();
    const [ending] = await Promise.all([reply, cancelled]);
    if (!["cancelled", "crashed"].includes(ending.status)) state.wrong.push(told(ending));
    const { result, notice } = await state.look("python", "held");
    const spoiled = ending.state === "kept" && notice === null;
    const expected = spoiled ? "['python', 'spoiled']" : "['python']";
    if (result !== expected) state.wrong.push(`${told(ending)}, then ${result}, ${notice}`);
  }),
  loss("a kill as the session is destroyed", "a new one of its name holds nothing", async (state) => {
    const { call, session } = state.stage;
    await state.hold(["python"]);
    const { reply } = await state.spoil("python");
    const destroyed = call("destroy_session", { session_id: session });
    await state.kill();
    await Promise.all([reply.catch(() => {}), destroyed]);
    const { result, notice } = await state.look("python", "import os\n['held' in globals(), os.listdir()]");
    if (result !== "[False, []]") state.wrong.push(`a new session holds ${result}, ${notice}`);
  }),
]);
