/** SVG to PNG: charts for those who can't show SVG, and SVG that is made to do harm. */

import { deepEqual, equal, notDeepEqual, ok, throws } from "node:assert/strict";
import { ensureAssets } from "../../../scripts/assets/mod.ts";
import { AssetLoader } from "../../../src/executor/assets/asset_loader.ts";
import { RasterError, rasterise, type RasterLimits } from "../../../src/raster/rasterise.ts";
import { Session } from "../../support/python_harness.ts";
import type { FromRasterWorker, Job } from "./raster_worker.ts";

await ensureAssets();

const DIST = new URL("../../../wasm/dist/", import.meta.url);
const assets = {
  module: new WebAssembly.Module(Deno.readFileSync(new URL("resvg.wasm", DIST))),
  fonts: ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"].map((name) => Deno.readFileSync(new URL(name, DIST))),
};
const LIMITS: RasterLimits = { maxPixels: 1_000_000, memoryBytes: 64 << 20, fuel: 20_000_000 };
const NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

const encode = (text: string) => new TextEncoder().encode(text);
const svg = (content: string, width = 90, height = 90) =>
  encode(`<svg ${NAMESPACES} width="${width}" height="${height}">${content}</svg>`);
const draw = (document: Uint8Array, limits: Partial<RasterLimits> = {}) =>
  rasterise(document, assets, { ...LIMITS, ...limits });

/** Width and height that a PNG says it has. */
function sizeOf(png: Uint8Array): [number, number] {
  const view = new DataView(png.buffer, png.byteOffset);
  equal(view.getUint32(0), 0x89504e47);
  return [view.getUint32(16), view.getUint32(20)];
}

/** The Worker's answer; loads what it asks for, as an executor does. */
async function inLockedWorker(loader: AssetLoader, svgs: Uint8Array[]) {
  const worker = new Worker(new URL("./raster_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: "none" },
  });
  try {
    return await new Promise<Extract<FromRasterWorker, { type: "done" }>>((resolve, reject) => {
      worker.onerror = reject;
      worker.onmessage = ({ data }: MessageEvent<FromRasterWorker>) => {
        if (data.type === "ready") worker.postMessage({ lazy: loader.shared, svgs } satisfies Job);
        else if (data.type === "load") loader.load(data.asset);
        else resolve(data);
      };
    });
  } finally {
    worker.terminate();
  }
}

Deno.test("a chart of pygal's becomes a PNG in a locked Worker, which has the assets loaded when it needs them", async () => {
  const session = new Session();
  await session.value(`
import pygal
chart = pygal.Bar(title="Größe", x_labels=list("abc"))
chart.add("2024", [1, 2, 3])
chart.render_to_file("/app/chart.svg")`);
  const chart = session.fs.readFile("/app/chart.svg");
  const loader = await AssetLoader.open();
  ok(loader.shared["resvg.wasm"].bytes.every((byte) => byte === 0), "nothing is read ahead");
  const { stuck, pictures } = await inLockedWorker(loader, [chart, chart]);
  // The tests run with --expose-gc.
  deepEqual(stuck.filter((name) => name !== "gc"), []);
  deepEqual(sizeOf(pictures[0]!), [800, 600]);
  deepEqual(pictures[1], pictures[0]);
  ok(pictures[0]!.length > 10_000, `${pictures[0]!.length} bytes`);
  ok(loader.shared["python-pip.zip"].bytes.every((byte) => byte === 0), "what nobody asks for stays unread");
});

Deno.test("text is drawn, whatever family it asks for", () => {
  const empty = draw(svg("")).png;
  for (const style of ["", 'font-family="Consolas, monospace"', 'font-weight="bold"']) {
    notDeepEqual(draw(svg(`<text x="5" y="50" ${style}>Ähm ✓</text>`)).png, empty, style);
  }
});

Deno.test("a picture that would be too large is made smaller", () => {
  const { width, height, png } = draw(svg("<rect width='9' height='9'/>", 20_000, 10_000), {
    maxPixels: 20_000,
  });
  deepEqual([width, height], [200, 100]);
  deepEqual(sizeOf(png), [200, 100]);
});

Deno.test("a link to a file or another host is not followed", () => {
  const picture = (href: string) => draw(svg(`<image xlink:href="${href}" width="9" height="9"/>`)).png;
  for (const href of ["/etc/passwd", "file:///etc/hostname", "http://example.com/a.png"]) {
    deepEqual(picture(href), draw(svg("")).png);
  }
});

const HOSTILE: Readonly<Record<string, Uint8Array>> = {
  "no SVG": encode("hello"),
  "nothing": encode(""),
  "no UTF-8": new Uint8Array([0xff, 0xfe, 0, 1]),
  "another format": new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1]),
  "no size": svg("", 0, 5),
  "depth": svg("<g>".repeat(100_000) + "</g>".repeat(100_000)),
  "reuse": svg(
    '<g id="a0"><rect/></g>' +
      Array.from(
        { length: 30 },
        (_, i) => `<g id="a${i + 1}"><use xlink:href="#a${i}"/><use xlink:href="#a${i}"/></g>`,
      ).join(""),
  ),
  "entities": encode(
    `<!DOCTYPE a [<!ENTITY a0 "aaaaaaaaaa">${
      Array.from({ length: 20 }, (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`).join("")
    }]><svg ${NAMESPACES} width="9" height="9"><text>&a20;</text></svg>`,
  ),
  "work": svg(
    '<filter id="f"><feTurbulence numOctaves="1000000000" baseFrequency="1"/></filter>' +
      '<rect width="900" height="900" filter="url(#f)"/>',
    900,
    900,
  ),
};

for (const [what, document] of Object.entries(HOSTILE)) {
  Deno.test(`SVG that is hostile by ${what} is an error with a reason`, () => {
    throws(() => draw(document), (error) => error instanceof RasterError && error.message.includes("SVG"));
  });
}

Deno.test("memory is bounded", () => {
  throws(() => draw(svg("", 1000, 1000), { memoryBytes: 6 << 20 }), RasterError);
});

Deno.test("a stop ends the work with what it throws", () => {
  const stop = new Error("stopped");
  let slices = 0;
  const onSlice = () => {
    if (++slices === 3) throw stop;
  };
  throws(() => draw(HOSTILE["work"]!, { onSlice }), (error) => error === stop);
});
