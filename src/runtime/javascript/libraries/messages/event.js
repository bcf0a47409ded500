import { globals } from "../event_target.js";

export class MessageEvent extends globals.Event {
  #options;
  constructor(type, options = {}) {
    super(type, options);
    this.#options = options;
  }
  get data() {
    return this.#options.data ?? null;
  }
  get origin() {
    return this.#options.origin ?? "";
  }
  get lastEventId() {
    return "";
  }
  get source() {
    return this.#options.source ?? null;
  }
  get ports() {
    return this.#options.ports ?? [];
  }
}
