/** What an execution shows besides text output: collected by the side channel, bounded while it comes. */

import type { ControlCell } from "../control/cell.ts";
import { HostCallError, type HostReply, replyOf } from "../host_calls/bridge.ts";
import type { FileSystem } from "../fs/file_system.ts";
import { FsError } from "../fs/errors.ts";
import { WORKING_DIRECTORY } from "../fs/places.ts";
import { type Picture, RasterError, SLICE } from "../raster/rasterise.ts";
import { type DisplayRequest, parseDisplay } from "../host_calls/display.ts";
import { MAX_SIDE, pictureSize } from "../picture.ts";

/** Where displays go that a reply has no room for, relative to the working directory. */
export const DISPLAY_DIRECTORY = ".display";

/** Longest picture that is drawn, as SVG. */
const MAX_SVG_BYTES = 2 * 1024 * 1024;
/** Of all SVG of an execution, whatever room the reply has: what is drawn of it is smaller. */
const SVG_ROOM = 768 * 1024;
/** Of what is drawn; larger pictures are drawn smaller. */
const MAX_PIXELS = 2_000_000;
/** Characters of a note. */
const MAX_NOTE = 300;
/** Drawing all pictures of an execution, milliseconds. */
const MAX_DRAWING_MS = 10_000;
const SVG = "image/svg+xml";
const PNG = "image/png";

/** Types that are shown as they are; all others are saved. */
const SHOWN = [PNG, "image/jpeg", "text/plain", "text/markdown", "text/html", "application/json"];

/** Extensions of what is saved; any other type is `bin`. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  [PNG]: "png",
  [SVG]: "svg",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "text/plain": "txt",
  "text/markdown": "md",
  "text/html": "html",
  "text/csv": "csv",
  "application/json": "json",
  "application/pdf": "pdf",
};

/** One thing to be shown. Its bytes are in {@link Shown.bytes}, or in a file. */
export interface DisplayEntry {
  readonly mimeType: string;
  readonly source: DisplayRequest["source"];
  /** Bytes. */
  readonly size: number;
  /** Of a picture that is shown, in pixels. */
  readonly pixels: { readonly width: number; readonly height: number } | null;
  /** The file it was saved as, relative to the working directory; null: its bytes come along. */
  readonly path: string | null;
  /** Why it is not shown as it was given, or not all of it. */
  readonly note: string | null;
}

/** All that an execution showed. */
export interface Shown {
  readonly entries: readonly DisplayEntry[];
  /** Of the entries without a path, in order. */
  readonly bytes: readonly Uint8Array[];
  /** Displays that there was no room for at all. */
  readonly dropped: number;
  /** Used to draw pictures. */
  readonly fuel: number;
}

export interface DisplayLimits {
  readonly maxDisplays: number;
  /** Of all that are shown in a reply together; more is saved. */
  readonly displayMaxBytes: number;
}

/** What a picture may take at most, whatever its own bounds are. */
export interface DrawLimits {
  /** Of width times height; a larger picture is made smaller. */
  readonly maxPixels: number;
  readonly fuel: number;
  /** Called once a slice of fuel; what it throws ends the work. */
  readonly onSlice: () => void;
}

/** A picture, and what is to be said of it. */
export interface Drawn extends Picture {
  readonly note: string | null;
}

/** Makes a PNG of SVG. @throws {RasterError} */
export type Draw = (svg: Uint8Array, limits: DrawLimits) => Drawn;

/** What is shown as it is. */
interface Held extends DisplayRequest {
  readonly note?: string | null;
}

const NO_BYTES = new Uint8Array(0);

export class Displays {
  /** In order; pictures that must be drawn are still what they were given as. */
  #shown: (Held | DisplayEntry)[] = [];
  #room = 0;
  /** For pictures that are to be drawn, until they are. */
  #roomToDraw = 0;
  #dropped = 0;
  #execution = "";
  #saved = 0;

  constructor(
    readonly fs: FileSystem,
    readonly cell: ControlCell,
    readonly limits: DisplayLimits,
    readonly draw: Draw,
  ) {}

  /** @param execution What the files are named by that displays are saved as. */
  begin(execution: string): void {
    this.#shown = [];
    this.#room = this.limits.displayMaxBytes;
    this.#roomToDraw = Math.max(SVG_ROOM, this.limits.displayMaxBytes);
    this.#dropped = 0;
    this.#saved = 0;
    this.#execution = execution;
  }

  /**
   * Answers the host call.
   *
   * @param bytes What is to be shown.
   * @returns JSON: whether it will be shown or linked.
   * @throws {HostCallError}
   */
  take(request: Uint8Array, bytes: Uint8Array = NO_BYTES): HostReply {
    const display = parseDisplay(request, bytes);
    if (!display) throw new HostCallError("the request, or the MIME type in it, is invalid");
    const taken = this.#take(display);
    if (!taken) this.#dropped++;
    return replyOf({ taken });
  }

  /** The execution has ended: draws what is to be drawn. @param fuel What it has left. */
  finish(fuel: number): Shown {
    const drawing = new DrawingTime(this.cell, fuel);
    const shown = this.#shown.map((each) => {
      if (!("bytes" in each) || each.mimeType !== SVG) return each;
      try {
        const { png, note } = this.draw(each.bytes, drawing.limits());
        return this.#place({ ...each, mimeType: PNG, bytes: png, note });
      } catch (error) {
        if (!(error instanceof RasterError)) throw error;
        return this.#save(each, error.message.slice(0, MAX_NOTE));
      }
    }).filter((each) => each !== undefined);
    const lost = this.#shown.length - shown.length;
    this.#shown = [];
    const bytes = shown.flatMap((each) => "bytes" in each ? [each.bytes] : []);
    return { entries: shown.map(entryOf), bytes, dropped: this.#dropped + lost, fuel: drawing.used };
  }

  #take(held: DisplayRequest): boolean {
    if (this.#shown.length >= this.limits.maxDisplays) return false;
    const placed = held.mimeType === SVG ? this.#hold(held) : this.#place(held);
    if (placed) this.#shown.push(placed);
    return placed !== undefined;
  }

  /** Keeps a picture that is to be drawn: what counts for the reply is what comes of it. */
  #hold(held: DisplayRequest): DisplayRequest | DisplayEntry | undefined {
    if (held.bytes.length > MAX_SVG_BYTES) return this.#save(held, "it is too large to be drawn");
    if (held.bytes.length > this.#roomToDraw) {
      return this.#save(held, "it is more SVG than an execution may show");
    }
    this.#roomToDraw -= held.bytes.length;
    return { ...held, bytes: held.bytes.slice() };
  }

  #place(held: Held): Held | DisplayEntry | undefined {
    const { mimeType, bytes } = held;
    if (!SHOWN.includes(mimeType)) return this.#save(held, null);
    if (mimeType.startsWith("image/")) {
      const size = pictureSize(mimeType, bytes);
      if (!size) return this.#save(held, `it is not a whole ${mimeType}`);
      if (Math.max(size.width, size.height) > MAX_SIDE) {
        return this.#save(held, `it has more than ${MAX_SIDE} pixels on a side`);
      }
    }
    if (bytes.length > this.#room) return this.#save(held, null);
    this.#room -= bytes.length;
    return { ...held, bytes: bytes.slice() };
  }

  /** @returns undefined if the workspace has no room for it. */
  #save({ mimeType, source, bytes }: DisplayRequest, note: string | null): DisplayEntry | undefined {
    const name = `${this.#execution}-${this.#saved + 1}.${EXTENSIONS[mimeType] ?? "bin"}`;
    const path = `${DISPLAY_DIRECTORY}/${name}`;
    try {
      this.fs.mkdir(`${WORKING_DIRECTORY}/${DISPLAY_DIRECTORY}`, { recursive: true });
      this.fs.writeFile(`${WORKING_DIRECTORY}/${path}`, bytes);
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
      return undefined;
    }
    this.#saved++;
    return { mimeType, source, size: bytes.length, pixels: null, path, note };
  }
}

/** What drawing all pictures of an execution takes, and when it must end. */
class DrawingTime {
  readonly #until = performance.now() + MAX_DRAWING_MS;
  #slices = 0;

  constructor(readonly cell: ControlCell, readonly fuel: number) {}

  get used(): number {
    return Math.min(this.#slices * SLICE, this.fuel);
  }

  limits(): DrawLimits {
    return { maxPixels: MAX_PIXELS, fuel: this.fuel - this.used, onSlice: () => this.#goOn() };
  }

  #goOn(): void {
    this.#slices++;
    this.cell.onSafePoint("runs");
    // Of whatever kind: there is nothing to lose here.
    if (this.cell.requested() !== "none") {
      throw new RasterError("the execution was stopped before it was drawn");
    }
    if (performance.now() > this.#until) throw new RasterError("the pictures take too long to be drawn");
  }
}

function entryOf(shown: Held | DisplayEntry): DisplayEntry {
  if (!("bytes" in shown)) return shown;
  const { mimeType, source, bytes, note = null } = shown;
  return {
    mimeType,
    source,
    size: bytes.length,
    pixels: pictureSize(mimeType, bytes) ?? null,
    path: null,
    note,
  };
}
