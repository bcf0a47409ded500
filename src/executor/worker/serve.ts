/** A Worker's side of its messages: sessions take their seats, are asked for something one at a time, and leave. */

import { ProcessorTurns } from "../../control/processors.ts";
import { closeCopyOnWrite, openCopyOnWrite } from "../../image/copy_on_write.ts";
import { closeWrittenPages, openWrittenPages } from "../../image/written_pages.ts";
import type { CodeAsset } from "../assets/lazy_assets.ts";
import type { SharedAssets } from "../assets/shared_assets.ts";
import type { Bases } from "../wire/bases.ts";
import type { WorkerSettings } from "../wire/to_executor.ts";
import type { Language } from "../../languages.ts";
import type { LayerNode } from "../../fs/layer.ts";
import { pythonTree } from "./asset_parts.ts";
import { ImageBuffer } from "./image_buffer.ts";
import { lockDown } from "./lockdown.ts";
import type { Place, ToSeat, ToWorker } from "./messages.ts";
import { ask, closeWorker, inTask, listen, post, postFrom } from "./scope.ts";
import { type MoreParts, SessionWorker } from "./session_worker.ts";

/** Serves sessions until it is told to end. Called once, while the Worker's code is loaded. */
export function serveSessions(moreParts: MoreParts = () => []): void {
  if (openCopyOnWrite()) openWrittenPages();
  const { state } = Deno.permissions.revokeSync({ name: "ffi" });
  if (state === "granted") throw new Error("the Worker could not give up its permission");
  const server = new Server(moreParts);
  /** One message at a time: a runtime may give way to the event loop while it boots. */
  let turn: Promise<void> = Promise.resolve();
  listen("message", ({ data: message }) => {
    const handled = () => new Promise<void>((resolve) => inTask(() => resolve(server.handle(message))));
    turn = turn.then(handled).catch((error) => {
      post({ type: "lost", reason: `the Worker failed: ${error}` });
      server.end();
    });
  });
}

/** A session, from when it is expected until it leaves. */
interface Seated {
  readonly session: SessionWorker;
  /** Its image while it is being opened, as far as that has arrived. */
  readonly image: ImageBuffer;
  /** What the image's heaps are deltas of. */
  bases: Bases;
  prepare: readonly Language[];
}

class Server {
  #assets: SharedAssets | undefined;
  /** What all its sessions have below `/usr`. */
  #usr: Readonly<Record<string, LayerNode>> | undefined;
  #turns: ProcessorTurns | undefined;
  /** What the process has compiled. */
  readonly #modules = new Map<CodeAsset, WebAssembly.Module>();
  readonly #seats = new Map<number, Seated>();
  /** What was prepared for a session of these settings; it has a seat already. */
  #expected: { readonly settings: string; readonly session: SessionWorker } | undefined;

  /** The seat that a message is about. */
  #serving: number | undefined;

  constructor(readonly moreParts: MoreParts) {}

  async handle(message: ToWorker): Promise<void> {
    switch (message.type) {
      case "init": {
        this.#assets = message.assets;
        this.#turns = new ProcessorTurns(message.processor);
        const stuck = lockDown();
        if (stuck.length > 0) throw new Error(`the lock-down could not remove ${stuck.join(", ")}`);
        return;
      }
      case "module":
        this.#modules.set(message.asset, message.module);
        return;
      case "end":
        return this.end();
      case "seat":
        this.#serving = message.seat;
        try {
          await this.#serve(message.seat, message.message);
        } catch (error) {
          if (!this.#seats.has(message.seat)) throw error;
          this.#lose(message.seat, error);
        }
        this.#serving = undefined;
        return;
    }
  }

  /** Descriptors are the process's, and would outlive the Worker, as would its place. */
  end(): void {
    this.#turns?.leave();
    closeWrittenPages();
    closeCopyOnWrite();
    closeWorker();
  }

  async #serve(seat: number, message: ToSeat): Promise<void> {
    if (message.type === "expect") return await this.#expect(message);
    if (message.type === "close") return this.#leave(seat);
    if (message.type === "open") {
      const { place, settings, image } = message;
      const { session } = this.#take(place, settings);
      const bases = image?.bases ?? {};
      this.#seats.set(seat, { session, image: new ImageBuffer(), bases, prepare: settings.prepare });
      return image ? undefined : await session.opened(settings.prepare, []);
    }
    const seated = this.#seats.get(seat);
    if (!seated) return; // it was given up while this was on its way
    const { session } = seated;
    switch (message.type) {
      case "image":
        seated.image.push(message.batch);
        return session.glance();
      case "image_end":
        await session.opened(seated.prepare, session.restore(seated.image, seated.bases));
        break;
      case "execute":
        await session.execute(message);
        break;
      case "workspace":
        await session.workspace(message);
        break;
    }
    session.weigh();
  }

  async #expect({ place, settings, language }: Extract<ToSeat, { type: "expect" }>): Promise<void> {
    if (!isPlain(settings)) return;
    const session = this.#make(place, settings);
    this.#expected = { settings: textOf(settings), session };
    await session.prepareLikely(language);
  }

  #take(place: Place, settings: WorkerSettings): { session: SessionWorker } {
    const expected = this.#expected;
    this.#expected = undefined;
    if (expected?.settings === textOf(settings)) return expected;
    expected?.session.release();
    return { session: this.#make(place, settings) };
  }

  #make(place: Place, settings: WorkerSettings): SessionWorker {
    if (!this.#assets || !this.#turns) throw new Error("the Worker was not initialised");
    const neighbours = { count: () => Math.max(1, this.#seats.size), look: () => this.#releaseEnded() };
    const compiled = (asset: CodeAsset) => this.#modules.get(asset);
    const surroundings = {
      assets: this.#assets,
      usr: this.#usr ??= pythonTree(this.#assets, ask),
      compiled,
      moreParts: this.moreParts,
      neighbours,
      turns: this.#turns,
    };
    return new SessionWorker(surroundings, place, settings);
  }

  #leave(seat: number): void {
    this.#seats.get(seat)?.session.release();
    this.#seats.delete(seat);
    postFrom(seat)({ type: "closed" });
  }

  /** Something went wrong in a session that is nobody's program: its neighbours are not to end with it. */
  #lose(seat: number, error: unknown): void {
    const { session } = this.#seats.get(seat)!;
    if (session.isEnded) return; // whatever it was about ends wherever it looks
    session.release();
    this.#seats.delete(seat);
    postFrom(seat)({ type: "lost", reason: `the Worker failed: ${error}` });
  }

  /** Sessions that were given up leave at once, also while a neighbour's program keeps their last message waiting. */
  #releaseEnded(): void {
    for (const [seat, { session }] of this.#seats) {
      if (seat !== this.#serving && session.isEnded) this.#leave(seat);
    }
  }
}

/** Whether a session of such settings is like any other until somebody asks something of it. */
function isPlain({ clock, seed, mappings }: WorkerSettings): boolean {
  return clock === "real" && seed === null && mappings.length === 0;
}

/** Settings as they compare; what is to be prepared is no part of them. */
function textOf(settings: WorkerSettings): string {
  return JSON.stringify({ ...settings, prepare: [] });
}
