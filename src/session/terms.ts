/** What sessions are made under: limits of the server, and lower ones by name. They may change while it runs. */

import {
  DEFAULT_FLAVORS,
  type Flavor,
  type FlavorName,
  type Flavors,
  type Limits,
  withFlavor,
} from "../config/limits.ts";

export interface SessionTerms {
  readonly limits: Limits;
  /** Lower limits, by the names under which a session can be made with them. */
  readonly flavors?: Flavors | undefined;
  /** Of sessions that are made without one. */
  readonly defaultFlavor?: FlavorName | null | undefined;
}

export class CurrentTerms {
  /** Always the same object: everything that keeps limits looks them up in there. */
  readonly limits: Limits;
  #flavors: Flavors;
  #defaultFlavor: FlavorName | null;

  constructor({ limits, flavors = DEFAULT_FLAVORS, defaultFlavor = null }: SessionTerms) {
    this.limits = { ...limits };
    this.#flavors = flavors;
    this.#defaultFlavor = defaultFlavor;
  }

  /** Sets others, for the server and for sessions that are made from now on. */
  change({ limits, flavors = DEFAULT_FLAVORS, defaultFlavor = null }: SessionTerms): void {
    Object.assign(this.limits, limits);
    this.#flavors = flavors;
    this.#defaultFlavor = defaultFlavor;
  }

  get flavors(): Flavors {
    return this.#flavors;
  }

  /** The limits of a session that is made now. @param flavor Lower ones; the default flavor's if absent. */
  limitsOfNew(flavor?: Flavor): Limits {
    return withFlavor(this.limits, flavor ?? (this.#defaultFlavor ? this.#flavors[this.#defaultFlavor] : {}));
  }
}
