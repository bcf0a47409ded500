// Work with a bounded number of things at a time, with retries and a time-out.
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function pool<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  let running = 0;
  let most = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      most = Math.max(most, ++running);
      results[index] = await work(items[index]!, index);
      running--;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  console.log(`at most ${most} at a time`);
  return results;
}

async function retry<T>(attempts: number, task: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await task(attempt);
    } catch (error) {
      if (attempt === attempts) throw error;
      console.log(`attempt ${attempt}: ${(error as Error).message}`);
      await sleep(2 ** attempt);
    }
  }
}

function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T> {
  return Promise.race([
    promise,
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error(`timed out after ${ms} ms`)), ms)),
  ]);
}

async function main() {
  const squares = await pool([5, 3, 1, 4, 2], 2, async (n) => {
    await sleep(n);
    return n * n;
  });
  console.log(squares);
  console.log(
    await retry(3, async (attempt) => {
      await sleep(1);
      if (attempt < 3) throw new Error("not yet");
      return "done";
    }),
  );
  await withTimeout(sleep(1000), 5).catch((error: Error) => console.log(error.message));
  const settled = await Promise.allSettled([Promise.resolve(1), Promise.reject(new TypeError("no"))]);
  console.log(settled.map((s) => s.status === "fulfilled" ? s.value : String(s.reason)));
}

main();
