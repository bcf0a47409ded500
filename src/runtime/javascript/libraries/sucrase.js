export { transform } from "sucrase/dist/esm/index.js";
export { firstDecorator, objectsOfNamespaces } from "./namespaces.js";
