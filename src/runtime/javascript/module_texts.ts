/** The texts that QuickJS loads: of ES modules, and of what stands for modules that are none. */

import { MODULES } from "./names.ts";

const HASHBANG = /^\uFEFF?#!.*/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** A file's text without its first line, if that says what runs it. */
export function withoutHashbang(text: string): string {
  return text.replace(HASHBANG, "");
}

/** The text of a CommonJS module as a function. */
export function commonJs(text: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
}

/** A module that knows of itself, and tells of its beginning and its end. It begins in the same line. */
export function esModule(text: string, path: string): string {
  const given = JSON.stringify(path);
  return `${MODULES}.beginModule(${given}, import.meta);${
    withoutHashbang(text)
  }\n;${MODULES}.endModule(${given});`;
}

/** What comes with the runtime. @param names What it exports. */
export function builtInModule(name: string, names: readonly string[]): string {
  const own = names.filter((each) => each !== "default").join(", ");
  return `const module = ${MODULES}.modules[${JSON.stringify(name)}];
export default module; export const { ${own} } = module;`;
}

export function jsonModule(text: string, path: string): string {
  return `export default ${MODULES}.parseJson(${JSON.stringify(text)}, ${JSON.stringify(path)});`;
}

/** What a CommonJS module exports. @param names What that is. */
export function commonJsModule(name: string, names: readonly string[]): string {
  const own = names.filter((each) => each !== "default" && IDENTIFIER.test(each));
  const locals = own.map((each, index) => `${each}: e${index}`).join(", ");
  const exported = own.map((each, index) => `e${index} as ${each}`).join(", ");
  return `const module = ${MODULES}.exportsOf(${JSON.stringify(name)}); export default module;
const { ${locals} } = Object(module); export { ${exported} };`;
}

/** What another ES module exports, and a mark. */
export function markedModule(path: string): string {
  const given = JSON.stringify(path);
  return `export * from ${given}; export { default } from ${given}; export const __esModule = true;`;
}
