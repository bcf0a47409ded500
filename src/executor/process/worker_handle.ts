/** A session's Worker as the executor's main thread holds it. */

import { ControlCell } from "../../control/cell.ts";
import { allocateReplyBuffer, HostReplier } from "../../host_calls/bridge.ts";
import { workerPermissions } from "./permissions.ts";
import { entry } from "../../program/entries.ts";
import type { Language } from "../../languages.ts";
import type { AssetLoader } from "../assets/asset_loader.ts";
import type { CodeAsset } from "../assets/lazy_assets.ts";
import type { ExecutorAssets } from "../assets/assets.ts";
import type { ToExecutor } from "../wire/protocol.ts";
import type { FromWorker, OpenMessage, ToWorker } from "../worker/messages.ts";

/** What a session's Worker has to say, besides answers to host calls. */
export type SessionMessage = Exclude<FromWorker, { type: "host_more" | "load" | "closed" }>;
type Report = (message: SessionMessage) => void;

/**
 * A Worker, and the shared memory through which the main thread reaches it while it is busy.
 *
 * It is made before its session is known: loading and locking a Worker takes most of the time until a new session's
 * first result.
 */
export class WorkerHandle {
  readonly cell = ControlCell.allocate();
  readonly #worker: Worker;
  readonly #replies = allocateReplyBuffer();
  readonly #replier = new HostReplier(this.#replies, this.cell);
  #loader: AssetLoader | undefined;
  #report: Report | undefined;
  #failure: FromWorker | undefined;
  #gone = false;
  #ended: (() => void) | undefined;
  readonly #takeModule = (asset: CodeAsset, module: WebAssembly.Module) =>
    this.post({ type: "module", asset, module });

  /** Starts loading its code; {@link initialise} it before it is opened. */
  constructor() {
    this.#worker = new Worker(entry("worker"), {
      type: "module",
      deno: { permissions: workerPermissions() },
    });
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#receive({ type: "lost", reason: `the Worker failed: ${event.message}` });
    };
  }

  initialise({ shared, loader }: ExecutorAssets): this {
    this.#loader = loader;
    this.post({ type: "init", assets: shared, cell: this.cell.buffer, replies: this.#replies });
    loader.onModule(this.#takeModule);
    return this;
  }

  /** Has it prepare for a session that is like others. @param settings Theirs. @param language What they ran last. */
  expect(settings: OpenMessage["settings"], language: Language): this {
    this.post({ type: "expect", settings, language });
    return this;
  }

  /** Gives it to a session. */
  open({ settings, image }: OpenMessage, report: Report): void {
    this.#report = report;
    if (this.#failure) this.#receive(this.#failure);
    else this.post({ type: "open", settings, image });
  }

  /** @param transfer What is moved there instead of being copied. */
  post(message: ToWorker, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  /** Gives its session up: it ends as soon as it can. @param ended Called when it has, or all but has. */
  close(ended: () => void): void {
    if (this.#gone) return ended();
    this.#ended = ended;
    this.#loader?.offModule(this.#takeModule);
    this.cell.end();
    this.post({ type: "close" });
  }

  reply({ call, answer }: Extract<ToExecutor, { type: "host_reply" }>, bytes: Uint8Array): void {
    this.#replier.reply(call, answer, bytes);
  }

  #receive(message: FromWorker): void {
    if (message.type === "closed" || message.type === "lost") {
      this.#gone = true;
      this.#loader?.offModule(this.#takeModule);
      this.#ended?.();
    }
    if (message.type === "closed") return;
    if (message.type === "host_more") this.#replier.more(message.call);
    else if (message.type === "load") this.#loader?.load(message.asset);
    else if (this.#report) this.#report(message);
    else this.#failure = message; // before it has a session, a Worker speaks only when it fails
  }
}
