/** The Worker of `elsewhere.ts`. */

import { type Assets, goOn, type Task } from "./session.ts";

interface Scope {
  onmessage: (event: MessageEvent<{ assets: Assets; task: Task }>) => void;
  postMessage(message: unknown): void;
}
const scope = globalThis as unknown as Scope;

scope.onmessage = async ({ data: { assets, task } }) => {
  scope.postMessage(await goOn(assets, task));
};
