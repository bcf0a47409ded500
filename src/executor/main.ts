/**
 * The executor process: no permissions left, one Worker per session, killable at any time.
 *
 * It reads a secret and then frames from stdin, and answers with frames on stdout. It decides nothing: time-outs,
 * queues and limits belong to the server; here messages are passed between the pipe and the Workers.
 */

import { MAX_IMAGE_BATCH_BYTES, MAX_MESSAGE_BYTES, PIECE_BYTES } from "./bounds.ts";
import { concatBytes } from "../bytes.ts";
import { ControlCell } from "../control/cell.ts";
import { allocateReplyBuffer, HostReplier } from "../control/host_call.ts";
import type { AssetLoader } from "./asset_loader.ts";
import { type ExecutorAssets, loadAssets } from "./assets.ts";
import { BulkQueue } from "./bulk.ts";
import { assetsDirectory, entry } from "./entries.ts";
import {
  FrameDecoder,
  FrameEncoder,
  type FrameKind,
  MAX_FRAME_BYTES,
  MessageAssembler,
  PieceAssembler,
  SECRET_BYTES,
} from "./frames.ts";
import { permissionsLeft, revokePermissions } from "./permissions.ts";
import { type FromExecutor, type ToExecutor, toExecutor } from "./protocol.ts";
import type { FromWorker, OpenMessage, ToWorker } from "./worker_messages.ts";

/** The pipe belongs to frames; whatever prints must not break them. */
function sendConsoleToStderr(): void {
  const print = (...values: unknown[]) =>
    Deno.stderr.writeSync(new TextEncoder().encode(`${values.map(String).join(" ")}\n`));
  Object.assign(console, { log: print, info: print, debug: print, warn: print, error: print });
}

/** What a session's Worker has to say, besides answers to host calls. */
type Report = (message: Exclude<FromWorker, { type: "host_more" | "load" | "closed" }>) => void;

/**
 * A Worker, and the shared memory through which the main thread reaches it while it is busy.
 *
 * It is made before its session is known: loading and locking a Worker takes most of the time until a new session's
 * first result.
 */
class SessionWorker {
  readonly cell = ControlCell.allocate();
  readonly #worker: Worker;
  readonly #replies = allocateReplyBuffer();
  readonly #replier = new HostReplier(this.#replies, this.cell);
  #loader: AssetLoader | undefined;
  #report: Report | undefined;
  #failure: FromWorker | undefined;
  #gone = false;
  #ended: (() => void) | undefined;

  /** Starts loading its code; {@link initialise} it before it is opened. */
  constructor(code: "worker" | "shell_worker" = "worker") {
    this.#worker = new Worker(entry(code), { type: "module", deno: { permissions: "none" } });
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#receive({ type: "lost", reason: `the Worker failed: ${event.message}` });
    };
  }

  initialise({ shared, loader }: ExecutorAssets): this {
    this.#loader = loader;
    this.post({ type: "init", assets: shared, cell: this.cell.buffer, replies: this.#replies });
    return this;
  }

  /** Gives it to a session. */
  open({ settings, image, shell }: OpenMessage, report: Report): void {
    this.#report = report;
    if (this.#failure) this.#receive(this.#failure);
    else this.post({ type: "open", settings, image, shell });
  }

  /** @param transfer What is moved there instead of being copied. */
  post(message: ToWorker, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  /** Gives its session up: it ends as soon as it can. @param ended Called when it has, or all but has. */
  close(ended: () => void): void {
    if (this.#gone) return ended();
    this.#ended = ended;
    this.cell.end();
    this.post({ type: "close" });
  }

  reply({ call, answer }: Extract<ToExecutor, { type: "host_reply" }>, bytes: Uint8Array): void {
    this.#replier.reply(call, answer, bytes);
  }

  #receive(message: FromWorker): void {
    if (message.type === "closed" || message.type === "lost") {
      this.#gone = true;
      this.#ended?.();
    }
    if (message.type === "closed") return;
    if (message.type === "host_more") this.#replier.more(message.call);
    else if (message.type === "load") this.#loader?.load(message.asset);
    else if (this.#report) this.#report(message);
    else this.#failure = message; // before it has a session, a Worker speaks only when it fails
  }
}

class Executor {
  readonly #encoder: FrameEncoder;
  readonly #sessions = new Map<number, SessionWorker>();
  /** Those that were closed, until they have ended. */
  readonly #closed = new Map<number, SessionWorker>();
  /** A Worker that waits for the next session. */
  #spare: SessionWorker | undefined;
  readonly #assets: ExecutorAssets;
  readonly #bulk = new BulkQueue((frame) => this.#write(frame));

  constructor(secret: Uint8Array, assets: ExecutorAssets, spare: SessionWorker | undefined) {
    this.#encoder = new FrameEncoder(secret);
    this.#assets = assets;
    this.#spare = spare;
    this.send(0, { type: "ready", permissionsLeft: permissionsLeft() });
  }

  #open(channel: number, message: OpenMessage): void {
    const worker = this.#takeWorker(message.shell);
    this.#sessions.set(channel, worker);
    worker.open(message, (message) => {
      if (message.type === "output") return this.output(message.stream, channel, message.bytes);
      if (message.type === "image") {
        const { batch } = message;
        const frames = this.#encoder.bytes("image", channel, batch);
        return this.#bulk.push(channel, frames, batch.length, () => worker.cell.take(batch.length));
      }
      if (message.type === "checkpoint") {
        return this.#bulk.push(channel, this.#encoder.message(channel, message), 0);
      }
      if (message.type === "workspace" || message.type === "host_call" || message.type === "display") {
        const { bytes, ...rest } = message;
        if (bytes) this.#write(this.#encoder.bytes("bytes", channel, bytes));
        return this.send(channel, rest);
      }
      this.send(channel, message);
      if (message.type === "opened") this.#spare ??= new SessionWorker().initialise(this.#assets);
    });
  }

  #takeWorker(shell: boolean): SessionWorker {
    if (shell) return new SessionWorker("shell_worker").initialise(this.#assets);
    const worker = this.#spare ?? new SessionWorker().initialise(this.#assets);
    this.#spare = undefined;
    return worker;
  }

  /** What each session holds, also those that are about to end. */
  #weigh(): { channel: number; bytes: number }[] {
    return [...this.#sessions, ...this.#closed].map(([channel, { cell }]) => ({ channel, bytes: cell.held }));
  }

  /** Part of the image from which a session that is being opened goes on. */
  image(channel: number, batch: Uint8Array): void {
    const copy = batch.slice();
    this.#sessions.get(channel)?.post({ type: "image", batch: copy }, [copy.buffer]);
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

  /** @param bytes What came before the message on its channel. */
  handle(channel: number, message: ToExecutor, bytes: Uint8Array): void {
    if (message.type === "credit") return this.#bulk.grant(message.bytes);
    if (message.type === "ping") {
      return this.send(0, { type: "pong", ping: message.ping });
    }
    if (message.type === "weigh") {
      return this.send(0, { type: "memory", rssBytes: Deno.memoryUsage().rss, sessions: this.#weigh() });
    }
    if (message.type === "open") {
      return this.#open(channel, message);
    }
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
        session.close(() => this.#closed.delete(channel));
        break;
      case "workspace":
        session.post({ ...message, bytes });
        break;
      default:
        session.post(message);
    }
  }
}

/** Runs until stdin ends, which is when the server is gone. */
async function main(): Promise<never> {
  sendConsoleToStderr();
  let spare: SessionWorker | undefined;
  const assets = await loadAssets(() => spare = new SessionWorker()); // loads its code on its own thread meanwhile
  spare?.initialise(assets);
  await revokePermissions(assetsDirectory());
  let executor: Executor | undefined;
  let head = new Uint8Array(0);
  const decoder = new FrameDecoder();
  const assembler = new MessageAssembler(MAX_MESSAGE_BYTES);
  const batches = new PieceAssembler(MAX_IMAGE_BATCH_BYTES);
  const pieces = new PieceAssembler(PIECE_BYTES);
  /** Of the next message on a channel. */
  const bytes = new Map<number, Uint8Array>();
  const buffer = new Uint8Array(MAX_FRAME_BYTES);
  for (let read = await Deno.stdin.read(buffer); read !== null; read = await Deno.stdin.read(buffer)) {
    const chunk = buffer.slice(0, read);
    let frames = chunk;
    if (!executor) {
      head = concatBytes([head, chunk]);
      if (head.length < SECRET_BYTES) continue;
      executor = new Executor(head.slice(0, SECRET_BYTES), assets, spare);
      frames = head.subarray(SECRET_BYTES);
    }
    for (const frame of decoder.push(frames)) {
      if (frame.kind === "image") {
        const batch = batches.push(frame);
        if (batch) executor.image(frame.channel, batch);
        continue;
      }
      if (frame.kind === "bytes") {
        const piece = pieces.push(frame);
        if (piece) bytes.set(frame.channel, piece.slice());
        continue;
      }
      const message = assembler.push(frame);
      if (message === undefined) continue;
      const piece = bytes.get(frame.channel) ?? new Uint8Array(0);
      bytes.delete(frame.channel);
      executor.handle(frame.channel, toExecutor.parse(message), piece);
    }
  }
  Deno.exit(0);
}

await main();
