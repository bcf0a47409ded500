/** `promise`, with `onLate` called if it takes longer than `ms`; that is expected to make the promise settle. */
export async function within<T>(promise: Promise<T>, ms: number, onLate: () => void): Promise<T> {
  const timer = setTimeout(onLate, ms);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
