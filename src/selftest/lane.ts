/** One attacked server: its bystander, its attacks one after the other, and what is seen after each. */

import { leaveMark, recoveryComplaints, stateComplaints } from "./aftermath.ts";
import type { Answer } from "./client.ts";
import type {
  CallsAttack,
  Execution,
  Finding,
  ProgramAttack,
  RunOptions,
  SessionAttack,
  Stage,
} from "./attack.ts";
import type { Language } from "../languages.ts";
import { Bystander } from "./bystander.ts";
import type { Canaries } from "./canaries.ts";
import { Client, type Command, NoAnswer } from "./client.ts";
import { judge, replyComplaints } from "./judge.ts";
import { lastWords, type Verdict } from "./verdict.ts";
import type { MappedVolumes } from "./volumes.ts";

/** How long a reply may take beyond the time-out that its call names. */
const SLACK_MS = 30_000;

export class Lane implements AsyncDisposable {
  #server: { readonly client: Client; readonly bystander: Bystander } | undefined;
  #sessions = 0;
  /**
   * Sessions that were reset after a program, for the next one of that language: to make one is most of what an attack
   * takes. What a reset leaves behind is met by the next attack.
   */
  readonly #emptied = new Map<Language, string>();

  /** @param canaries Its own: they end with it. */
  constructor(
    readonly command: Command,
    readonly canaries: Canaries,
    readonly volumes: MappedVolumes,
  ) {}

  async attack(attack: SessionAttack): Promise<Verdict> {
    const started = performance.now();
    let finding: Finding;
    let complaints: string[];
    try {
      const { client, bystander } = this.#server ??= await this.#start();
      const replies: Execution[] = [];
      const stage = this.#stage(client, bystander, replies, this.#sessionFor(attack));
      const result = attack.kind === "program"
        ? await this.#program(attack, stage)
        : await calls(attack, stage);
      ({ finding, complaints } = result);
      const mayLoseExecutor = attack.kind === "calls" && attack.endsExecutor === true;
      complaints.push(
        ...await this.#leave(attack, stage),
        ...replies.flatMap((reply) => replyComplaints(reply, mayLoseExecutor)),
        ...await bystander.complaints(),
        ...client.strays.map((line) => `stray line: ${line}`),
      );
    } catch (error) {
      finding = { refused: false, got: error instanceof Error ? error.message : String(error) };
      complaints = error instanceof NoAnswer ? [] : ["the attack itself failed"];
    }
    complaints.push(...await this.canaries.complaints(), ...await this.volumes.complaints());
    const ok = finding.refused && complaints.length === 0;
    if (!ok) await this.#restart(complaints);
    return {
      family: attack.family,
      name: attack.name,
      expected: attack.kind === "program" ? attack.expect.says : attack.expected,
      got: finding.got,
      complaints,
      ok,
      ms: performance.now() - started,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.client.close();
    await this.canaries[Symbol.asyncDispose]();
  }

  async #program(attack: ProgramAttack, stage: Stage) {
    await leaveMark(stage, attack.language);
    const code = this.canaries.fill(attack.code);
    const execution = await stage.run(attack.language, code, { timeout: attack.timeout });
    const complaints = attack.tampers
      ? await recoveryComplaints(stage, attack.language)
      : await stateComplaints(stage, attack.language, execution);
    return { finding: judge(execution, attack.expect), complaints };
  }

  #sessionFor(attack: SessionAttack): string {
    const emptied = attack.kind === "program" ? this.#emptied.get(attack.language) : undefined;
    return emptied ?? `attack_${++this.#sessions}`;
  }

  /** Empties the attacker's session for the next program, or ends it. */
  async #leave(attack: SessionAttack, { call, session }: Stage): Promise<string[]> {
    if (attack.kind === "program" && !attack.tampers) {
      this.#emptied.set(attack.language, session);
      const { isError } = await call("reset_workspace", { session_id: session });
      return isError ? ["the session could not be reset"] : [];
    }
    if (attack.kind === "program") this.#emptied.delete(attack.language);
    await call("destroy_session", { session_id: session });
    return [];
  }

  async #start() {
    const client = await Client.start(this.command, (line) => this.canaries.watch(line));
    const bystander = new Bystander(client, this.canaries.sessionSecret);
    await bystander.settle();
    return { client, bystander };
  }

  /** A server that an attack may have harmed is not used for the next one. */
  async #restart(complaints: string[]): Promise<void> {
    const client = this.#server?.client;
    if (!client) return;
    if (client.alive) complaints.push(...lastWords(client.log));
    else complaints.push("the server ended", ...lastWords(client.log));
    this.#server = undefined;
    this.#emptied.clear();
    await client.close();
  }

  /** @param replies Takes every reply to the attacker's code. */
  #stage(client: Client, bystander: Bystander, replies: Execution[], session: string): Stage {
    return {
      client,
      session,
      bystander: bystander.session,
      canaries: this.canaries,
      call: (tool, args, options) => client.call(tool, args, options),
      run: async (
        language,
        code,
        { timeout = 20, session: other, args: more, ...options }: RunOptions = {},
      ) => {
        const args = { language, code, timeout, session_id: other ?? session, ...more };
        const deadlineMs = timeout * 1000 + SLACK_MS;
        const execution = executionOf(await client.call("execute_code", args, { deadlineMs, ...options }));
        replies.push(execution);
        return execution;
      },
    };
  }
}

async function calls(attack: CallsAttack, stage: Stage) {
  const finding = await attack.carryOut(stage);
  if (attack.spoils) return { finding, complaints: await recoveryComplaints(stage, attack.spoils) };
  const { status, result } = await stage.run("python", "6 * 7");
  const complaints = result === "42" ? [] : [`the next call ended as ${status}`];
  return { finding, complaints };
}

/** @throws {Error} if the call was refused before anything ran. */
function executionOf({ fault, structured, content }: Answer): Execution {
  const images = content.filter(({ type }) => type === "image");
  if (!fault && typeof structured["status"] === "string") {
    return { ...structured, images } as unknown as Execution;
  }
  const error = structured["error"] as { message: string } | undefined;
  throw new Error(`execute_code was refused: ${fault?.message ?? error?.message}`);
}
