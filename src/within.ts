/** `promise`, with `onLate` called each time that it has taken `ms` more; that is expected to make it settle in the end. */
export async function within<T>(promise: Promise<T>, ms: number, onLate: () => void): Promise<T> {
  const timer = setInterval(onLate, ms);
  try {
    return await promise;
  } finally {
    clearInterval(timer);
  }
}
