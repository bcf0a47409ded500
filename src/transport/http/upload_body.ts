/** The body of an upload, as it arrives. What bounds its size is where it goes to. */

import { Refusal } from "./refusal.ts";

/** So much has to arrive in the time that a slow client is given. */
const PORTION_BYTES = 64 * 1024;

/**
 * The body's pieces. Time counts only while the client is waited for, not while what it sent is being dealt with.
 *
 * @param portionMs How long 64 KiB, or what is left, may take.
 * @throws {Refusal} 408 for a client that is too slow, 400 for one that goes away.
 */
export async function* uploadBody(request: Request, portionMs: number): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader();
  if (!reader) return;
  let waited = 0;
  let portion = 0;
  let whole = false;
  try {
    for (;;) {
      const begun = performance.now();
      const { done, value } = await within(reader.read(), portionMs - waited);
      if (done) break;
      waited += performance.now() - begun;
      portion += value.length;
      if (portion >= PORTION_BYTES) portion = waited = 0;
      yield value;
    }
    whole = true;
  } finally {
    if (!whole) reader.cancel().catch(() => {}); // the client may be gone
  }
}

async function within<T>(read: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `Less than ${PORTION_BYTES} bytes of the body arrived in the time that they may take`;
    late.reject(new Refusal(408, "REQUEST_TIMEOUT", message, { retryable: true }));
  }, ms);
  try {
    return await Promise.race([read, late.promise]);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, "INVALID_REQUEST", "The body could not be received");
  } finally {
    clearTimeout(timer);
  }
}
