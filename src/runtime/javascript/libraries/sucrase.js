export { transform } from "sucrase/dist/esm/index.js";
import { decorating } from "./decorating.js";
export { withoutDecorators } from "./decorators.js";
export { objectsOfNamespaces } from "./namespaces.js";

export function install(_host, hooks) {
  hooks.define("__wasmboxDecorators", decorating);
}
