/** Thrown by a host function to raise an `Error` in the guest; anything else it throws ends the instance. */
export class GuestError extends Error {
  /** @param fields Own properties the guest's error gets besides its message: `code`, `name`. */
  constructor(message: string, readonly fields: Readonly<Record<string, string>> = {}) {
    super(message);
  }
}
