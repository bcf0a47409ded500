/** A session's Worker as the executor makes it, with nothing but pictures in it. */

import type { LazyAsset, SharedLazyAssets } from "../../../src/executor/assets/lazy_assets.ts";
import { lockDown } from "../../../src/executor/worker/lockdown.ts";
import { Pictures } from "../../../src/executor/worker/pictures.ts";

export interface Job {
  readonly lazy: SharedLazyAssets;
  readonly svgs: readonly Uint8Array[];
}

export type FromRasterWorker =
  | { readonly type: "ready" }
  | { readonly type: "load"; readonly asset: LazyAsset }
  | { readonly type: "done"; readonly stuck: string[]; readonly pictures: readonly Uint8Array[] };

const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<Job>) => void) | null;
  postMessage(message: FromRasterWorker): void;
};
const post = scope.postMessage.bind(scope);

scope.onmessage = ({ data: { lazy, svgs } }) => {
  const stuck = lockDown();
  const pictures = new Pictures(lazy, (asset) => post({ type: "load", asset }), () => []);
  const limits = { maxPixels: 1_000_000, fuel: Infinity, onSlice: () => {} };
  post({ type: "done", stuck, pictures: svgs.map((svg) => pictures.draw(svg, limits).png) });
};
post({ type: "ready" });
