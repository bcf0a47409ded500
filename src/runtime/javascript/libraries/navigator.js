/** `navigator`, as Node has it: the same on any machine. */
import { coded } from "./errors.js";
import process from "./process.js";
import { os } from "./os.js";

const LANGUAGE = "en-US";
const LANGUAGES = Object.freeze([LANGUAGE]);
const KEY = Symbol("the only one");

class Navigator {
  constructor(key) {
    if (key !== KEY) throw coded(TypeError, "ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor");
  }
  get hardwareConcurrency() {
    return os.availableParallelism();
  }
  get language() {
    return LANGUAGE;
  }
  get languages() {
    return LANGUAGES;
  }
  get userAgent() {
    return `Node.js/${process.versions.node.split(".")[0]}`;
  }
  get platform() {
    return `Linux ${process.arch}`;
  }
}
for (const name of ["hardwareConcurrency", "language", "languages", "userAgent", "platform"]) {
  Object.defineProperty(Navigator.prototype, name, { enumerable: true });
}

export const globals = { Navigator, navigator: new Navigator(KEY) };
