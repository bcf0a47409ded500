/** A Worker as the executor's main thread holds it, and the sessions that it serves, one at a time. */

import { ControlCell } from "../../control/cell.ts";
import { allocateReplyBuffer, HostReplier } from "../../host_calls/bridge.ts";
import { workerPermissions } from "./permissions.ts";
import { entry } from "../../program/entries.ts";
import type { ProcessorPlace, Processors } from "../../control/processors.ts";
import type { Language } from "../../languages.ts";
import type { AssetLoader } from "../assets/asset_loader.ts";
import type { ExecutorAssets } from "../assets/assets.ts";
import type { CodeAsset } from "../assets/lazy_assets.ts";
import type { ToExecutor } from "../wire/to_executor.ts";
import {
  type FromWorker,
  NO_SEAT,
  type OpenMessage,
  type Place,
  type ToSeat,
  type WorkerPost,
} from "../worker/messages.ts";

/** What a session's Worker has to say, besides answers to host calls. */
export type SessionMessage = Exclude<FromWorker, { type: "host_more" | "load" | "closed" }>;
type Report = (message: SessionMessage) => void;

/** It is made before its session is known: loading and locking a Worker takes most of the time until a first result. */
export class WorkerHandle {
  readonly #worker: Worker;
  readonly #seats = new Map<number, Seat>();
  #loader: AssetLoader | undefined;
  #lastSeat = NO_SEAT;
  /** Prepared for the next session. */
  #expected: Seat | undefined;
  #failure: SessionMessage | undefined;
  /** Where its programs wait for their turns; none if there are too many. */
  #place: ProcessorPlace | undefined;
  readonly #takeModule = (asset: CodeAsset, module: WebAssembly.Module) =>
    this.#worker.postMessage({ type: "module", asset, module });

  /**
   * Starts loading its code; {@link initialise} it before a session is opened.
   *
   * @param processors By turns of which its programs run.
   */
  constructor(readonly processors: Processors) {
    const permissions = workerPermissions();
    this.#worker = new Worker(entry("worker"), { type: "module", deno: { permissions } });
    this.#worker.onmessage = ({ data }: MessageEvent<WorkerPost>) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      if (this.#place) this.processors.leave(this.#place); // it could not do so itself
      this.#failed({ type: "lost", reason: `the Worker failed: ${event.message}` });
    };
  }

  initialise({ shared, loader }: ExecutorAssets): this {
    this.#loader = loader;
    this.#place = this.processors.enter();
    this.#worker.postMessage({ type: "init", assets: shared, processor: this.#place });
    loader.onModule(this.#takeModule);
    return this;
  }

  /** Has it prepare for a session that is like others, if it has not yet. @param settings Theirs. @param language What they ran last. */
  expect(settings: OpenMessage["settings"], language: Language): void {
    if (this.#expected) return;
    this.#expected = this.#makeSeat();
    this.#expected.post({ type: "expect", place: this.#expected.place, settings, language });
  }

  /** Gives a session a seat. */
  open({ settings, image }: Omit<OpenMessage, "place">, report: Report): Seat {
    const seat = this.#expected ?? this.#makeSeat();
    this.#expected = undefined;
    seat.report = report;
    const failure = this.#failure;
    if (failure) queueMicrotask(() => seat.receive(failure)); // told when it is known who is told
    else seat.post({ type: "open", place: seat.place, settings, image });
    return seat;
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** How many it has, without those that are about to leave. */
  get sessions(): number {
    return [...this.#seats.values()].filter((seat) => seat !== this.#expected && !seat.leaves).length;
  }

  /** Ends it. To be called when no session is left. */
  close(): void {
    this.#gone();
    this.#expected?.cell.end();
    this.#worker.postMessage({ type: "end" });
  }

  #makeSeat(): Seat {
    const post = (seat: number, message: ToSeat, transfer: Transferable[]) =>
      this.#worker.postMessage({ type: "seat", seat, message }, transfer);
    const seat = new Seat(++this.#lastSeat, post);
    seat.cell.onWake = () => this.#place && this.processors.nudge(this.#place);
    this.#seats.set(seat.place.seat, seat);
    return seat;
  }

  #receive({ seat: number, message }: WorkerPost): void {
    if (message.type === "load") return this.#loader?.load(message.asset);
    if (message.type === "lost" && number === NO_SEAT) return this.#failed(message);
    const seat = this.#seats.get(number);
    if (message.type === "closed" || message.type === "lost") this.#seats.delete(number);
    seat?.receive(message);
  }

  #failed(message: SessionMessage): void {
    this.#failure = message;
    this.#gone();
    for (const seat of this.#seats.values()) seat.receive(message);
    this.#seats.clear();
  }

  #gone(): void {
    this.#loader?.offModule(this.#takeModule);
    this.#place = undefined; // it gives it back itself
  }
}

/** The shared memory through which the main thread reaches a session while its Worker is busy. */
export class Seat {
  readonly cell = ControlCell.allocate();
  readonly place: Place;
  readonly #replier: HostReplier;
  /** Before it has a session nobody listens. */
  report: Report | undefined;
  #ended: (() => void) | undefined;
  #gone = false;

  constructor(
    number: number,
    readonly send: (seat: number, message: ToSeat, transfer: Transferable[]) => void,
  ) {
    const replies = allocateReplyBuffer();
    this.#replier = new HostReplier(replies, this.cell);
    this.place = { seat: number, cell: this.cell.buffer, replies };
  }

  /** Whether it was given up, and nothing runs that may take its time to end. */
  get leaves(): boolean {
    return this.#ended !== undefined && !this.cell.isRunning;
  }

  /** @param transfer What is moved there instead of being copied. */
  post(message: ToSeat, transfer: Transferable[] = []): void {
    this.send(this.place.seat, message, transfer);
  }

  /** Gives the session up: it ends as soon as it can. @param ended Called when it has, or all but has. */
  close(ended: () => void): void {
    if (this.#gone) return ended();
    this.#ended = ended;
    this.cell.end();
    this.post({ type: "close" });
  }

  reply({ call, answer }: Extract<ToExecutor, { type: "host_reply" }>, bytes: Uint8Array): void {
    this.#replier.reply(call, answer, bytes);
  }

  receive(message: Exclude<FromWorker, { type: "load" }>): void {
    if (message.type === "closed" || message.type === "lost") {
      this.#gone = true;
      this.#ended?.();
    }
    if (message.type === "closed") return;
    if (message.type === "host_more") this.#replier.more(message.call);
    else this.report?.(message);
  }
}
