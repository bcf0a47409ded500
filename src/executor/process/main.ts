/**
 * The executor process: permissions given up, sessions in Workers, killable at any time.
 *
 * It reads a secret and then frames from stdin, and answers with frames on stdout. It decides nothing: time-outs,
 * queues and limits belong to the server; here messages are passed between the pipe and the Workers.
 */

import { concatBytes } from "../../bytes.ts";
import { PIPE_BYTES } from "../wire/bounds.ts";
import { Processors } from "../../control/processors.ts";
import { type ExecutorAssets, loadAssets } from "../assets/assets.ts";
import type { LazyAsset } from "../assets/lazy_assets.ts";
import { sharedBytes } from "../../image/copy_on_write.ts";
import { discard } from "../../garbage.ts";
import { BulkQueue } from "./bulk.ts";
import { assetsDirectory } from "../../program/entries.ts";
import type { StoredAsset } from "../../program/stored_asset.ts";
import { openAsset } from "../../program/stored_assets.ts";
import type { Language } from "../../languages.ts";
import { Demultiplexer } from "../wire/demultiplexer.ts";
import { FrameEncoder, type FrameKind, PROCESS_CHANNEL, SECRET_BYTES, TooLarge } from "../wire/frames.ts";
import { permissionsLeft, prepareSharing, revokePermissions, sharesMemory } from "./permissions.ts";
import type { FromExecutor } from "../wire/from_executor.ts";
import { type ToExecutor, toExecutor } from "../wire/to_executor.ts";
import type { OpenMessage } from "../worker/messages.ts";
import { type Seat, type SessionMessage, WorkerHandle } from "./worker_handle.ts";
import { ArrivingImages } from "./arriving_images.ts";
import { widenPipes } from "./wide_pipes.ts";
import { insteadOf } from "./too_large.ts";
import { WARM_UP_ASSET, WarmUp } from "./warm_up.ts";

/** For so long after memory was short nothing is prepared ahead. */
const SHORT_MS = 10_000;
/** After something was run, until what comes next is prepared: whoever goes on at once is not to wait for that. */
const PAUSE_MS = 50;

/** What a first program in Python may do without, so that no start waits for it. It is read when one has ended. */
const SOON_NEEDED = [
  "python-stdlib.zip",
  "quickjs.wasm",
  "javascript.memory",
] as const satisfies readonly LazyAsset[];

/**
 * Sessions that a Worker takes: most of what one of its own would cost is divided by this. Only where a session's memory
 * can be given back while its Worker goes on.
 */
const SEATS = 16;

/** The pipe belongs to frames; whatever prints must not break them. */
function sendConsoleToStderr(): void {
  const print = (...values: unknown[]) =>
    Deno.stderr.writeSync(new TextEncoder().encode(`${values.map(String).join(" ")}\n`));
  Object.assign(console, { log: print, info: print, debug: print, warn: print, error: print });
}

class Executor {
  readonly #encoder: FrameEncoder;
  readonly #sessions = new Map<number, Seat>();
  /** Those that were closed, until they have ended. */
  readonly #closed = new Map<number, Seat>();
  /** Workers with sessions, by the numbers that the server has for them. */
  readonly #rooms = new Map<number, WorkerHandle>();
  /** A Worker that waits for the next session. */
  #spare: WorkerHandle | undefined;
  /** What a session ran last. */
  #language: Language = "python";
  /** When memory was last short. */
  #short = -Infinity;
  /** When a session was last opened, and its settings. */
  #opened = -Infinity;
  #settings: OpenMessage["settings"] | undefined;
  /** Sessions that a Worker takes. */
  readonly #seats = sharesMemory() ? SEATS : 1;
  /** Until the next session is prepared for. */
  #pause: ReturnType<typeof setTimeout> | undefined;
  readonly #assets: ExecutorAssets;
  readonly #processors: Processors;
  readonly #bulk = new BulkQueue((frame) => this.#write(frame));
  readonly #warmUp: WarmUp;

  /** @param programs What {@link WarmUp} runs. */
  constructor(
    secret: Uint8Array,
    assets: ExecutorAssets,
    processors: Processors,
    spare: WorkerHandle | undefined,
    readonly programs: StoredAsset,
  ) {
    this.#encoder = new FrameEncoder(secret);
    this.#assets = assets;
    this.#processors = processors;
    this.#warmUp = new WarmUp(
      assets,
      processors,
      () => [...this.#sessions.values()].some(({ cell }) => cell.isRunning),
    );
    this.#spare = spare;
    this.send(PROCESS_CHANNEL, {
      type: "ready",
      permissionsLeft: permissionsLeft(),
      bases: assets.shared.bases,
      sharedBytes: sharedBytes(),
      seats: this.#seats,
    });
  }

  #open(channel: number, message: Extract<ToExecutor, { type: "open" }>): void {
    const { room, settings } = message;
    const worker = this.#rooms.get(room) ?? this.#takeWorker();
    this.#rooms.set(room, worker);
    this.#settings = settings;
    this.#opened = performance.now();
    const seat = worker.open(message, (message) => {
      try {
        this.#passOn(channel, seat, message);
      } catch (error) {
        if (!(error instanceof TooLarge)) throw error;
        this.#refuse(channel, seat, message, error.message);
      }
    });
    this.#sessions.set(channel, seat);
  }

  /** @throws {TooLarge} and then nothing was sent. */
  #passOn(channel: number, seat: Seat, message: SessionMessage): void {
    if (message.type === "output") return this.output(message.stream, channel, message.bytes);
    if (message.type === "image") {
      const { batch } = message;
      const frames = this.#encoder.bytes("image", channel, batch);
      const { length } = batch;
      discard(batch.buffer);
      return this.#bulk.push(channel, frames, length, () => seat.cell.take(length));
    }
    if (message.type === "checkpoint") {
      this.#bulk.push(channel, this.#encoder.message(channel, message), 0);
      return this.#makeSpare();
    }
    if (message.type === "workspace" || message.type === "host_call" || message.type === "display") {
      const { bytes, ...rest } = message;
      const frames = this.#encoder.message(channel, rest);
      if (bytes) this.#write(this.#encoder.bytes("bytes", channel, bytes));
      return this.#write(frames);
    }
    this.send(channel, message);
  }

  /**
   * Makes ready for the next session. Not before one has done what it was made for: to make a Worker takes as long as that,
   * and what is prepared in one that has sessions keeps them waiting, so that it is done when they pause.
   */
  #makeSpare(): void {
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      this.#spare ??= new WorkerHandle(this.#processors).initialise(this.#assets);
      // Where one comes after another each would wait for what is prepared for the next.
      if (performance.now() - this.#opened < PAUSE_MS) return this.#makeSpare();
      const next = [...this.#rooms.values()].find(({ sessions }) => sessions < this.#seats) ?? this.#spare;
      if (!this.#settings || performance.now() - this.#short < SHORT_MS) return;
      for (const name of SOON_NEEDED) this.#assets.loader.load(name);
      next?.expect(this.#settings, this.#language);
    }, PAUSE_MS);
  }

  /** What sessions of other executors were like; of this one none was opened yet. */
  #expect({ settings, language }: Extract<ToExecutor, { type: "expect" }>): void {
    if (this.#settings) return;
    [this.#settings, this.#language] = [settings, language];
    this.#spare?.expect(settings, language);
  }

  /** Memory is short: what nobody needs yet goes first. */
  #isShort(): void {
    this.#short = performance.now();
    this.#warmUp.giveUp();
    this.#spare?.close();
    this.#spare = undefined;
  }

  /**
   * A message that is too large fails by itself: to the server it would be a breach of the protocol, which costs all
   * sessions of this process.
   */
  #refuse(channel: number, seat: Seat, message: SessionMessage, reason: string): void {
    if (message.type === "host_call") {
      const answer = { ok: false, message: reason } as const;
      return seat.reply({ type: "host_reply", call: message.call, answer }, new Uint8Array(0));
    }
    if (message.type === "output" || message.type === "image") {
      return this.send(channel, { type: "lost", reason });
    }
    this.send(channel, insteadOf(message, reason));
  }

  /** A Worker whose last session has gone is ready for the next one, as none that would have to be made. */
  #vacate(): void {
    for (const [room, worker] of this.#rooms) {
      if (worker.sessions > 0) continue;
      this.#rooms.delete(room);
      if (worker.failed) continue;
      this.#spare?.close();
      this.#spare = worker;
    }
  }

  #takeWorker(): WorkerHandle {
    const worker = this.#spare ?? new WorkerHandle(this.#processors).initialise(this.#assets);
    this.#spare = undefined;
    // Where hundreds are wanted at once a ping waits behind them for longer than a process may be silent.
    this.send(PROCESS_CHANNEL, { type: "pong" });
    return worker;
  }

  /** Part of the image from which a session that is being opened goes on. @param batch It alone is in its buffer. */
  image(channel: number, batch: Uint8Array<ArrayBuffer>): void {
    this.#sessions.get(channel)?.post({ type: "image", batch }, [batch.buffer]);
  }

  /** What each session holds, also those that are about to end. */
  #weigh(): { channel: number; bytes: number }[] {
    return [...this.#sessions, ...this.#closed].map(([channel, { cell }]) => ({ channel, bytes: cell.held }));
  }

  send(channel: number, message: FromExecutor): void {
    this.#write(this.#encoder.message(channel, message));
  }

  output(kind: FrameKind, channel: number, bytes: Uint8Array): void {
    this.#write(this.#encoder.bytes(kind, channel, bytes));
  }

  #write(bytes: Uint8Array): void {
    // Synchronously: the server always reads, and each stream between here and the pipe would add to every reply.
    try {
      for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
    } catch {
      Deno.exit(0); // nobody listens any more: the server is gone
    }
  }

  /** @param bytes What came beside the message. */
  handle(channel: number, message: ToExecutor, bytes: Uint8Array): void {
    if (message.type === "credit") return this.#bulk.grant(message.bytes);
    if (message.type === "ping") {
      return this.send(PROCESS_CHANNEL, { type: "pong" });
    }
    if (message.type === "weigh") {
      if (message.short) this.#isShort();
      const { rss } = Deno.memoryUsage();
      return this.send(PROCESS_CHANNEL, { type: "memory", rssBytes: rss, sessions: this.#weigh() });
    }
    if (message.type === "expect") return this.#expect(message);
    if (message.type === "warm_up") return void this.#warmUp.begin(this.programs);
    this.#warmUp.giveWay();
    if (message.type === "open") return this.#open(channel, message);
    const session = this.#sessions.get(channel);
    if (!session) return;
    switch (message.type) {
      case "stop":
        if (message.how === "interrupt") session.cell.interrupt(message.execution);
        else session.cell.abort(message.execution);
        break;
      case "host_reply":
        session.reply(message, bytes);
        break;
      case "close":
        this.#sessions.delete(channel);
        this.#closed.set(channel, session);
        this.#bulk.drop(channel);
        session.close(() => {
          this.#closed.delete(channel);
          this.#vacate();
        });
        this.#vacate();
        // Its last checkpoint, after which that is done otherwise, may not have come to its end.
        this.#makeSpare();
        break;
      case "workspace":
        session.post({ ...message, bytes });
        break;
      case "execute":
        this.#language = message.language;
        session.post(message);
        break;
      default:
        session.post(message);
    }
  }
}

/** Runs until stdin ends, which is when the server is gone. */
async function main(): Promise<never> {
  sendConsoleToStderr();
  prepareSharing();
  if (sharesMemory()) widenPipes();
  // A terminal's Ctrl-C reaches every process that was started there; what it means for runs is the server's to say.
  Deno.addSignalListener("SIGINT", () => {});
  // One more than there are: whoever gets a turn takes up to a millisecond to wake up, in which a processor would be idle.
  const processors = new Processors(navigator.hardwareConcurrency + 1);
  let spare: WorkerHandle | undefined;
  const opening = openAsset(WARM_UP_ASSET);
  const assets = await loadAssets(() => spare = new WorkerHandle(processors)); // loads its code on its own thread meanwhile
  spare?.initialise(assets);
  const programs = await opening;
  await revokePermissions(assetsDirectory());
  let executor: Executor | undefined;
  let head = new Uint8Array(0);
  const pipe = new Demultiplexer();
  const images = new ArrivingImages((channel, batch) => executor?.image(channel, batch));
  const buffer = new Uint8Array(PIPE_BYTES);
  for (let read = await Deno.stdin.read(buffer); read !== null; read = await Deno.stdin.read(buffer)) {
    const chunk = buffer.subarray(0, read);
    let frames = chunk;
    if (!executor) {
      head = concatBytes([head, chunk]);
      if (head.length < SECRET_BYTES) continue;
      executor = new Executor(head.slice(0, SECRET_BYTES), assets, processors, spare, programs);
      frames = head.subarray(SECRET_BYTES);
    }
    for (const { channel, bytes, ...arrival } of pipe.push(frames)) {
      if (arrival.kind === "image") {
        images.push(channel, bytes);
      } else if (arrival.kind === "message") {
        images.flush();
        executor.handle(channel, toExecutor.parse(arrival.value), bytes);
      }
    }
    images.flush();
  }
  Deno.exit(0);
}

await main();
