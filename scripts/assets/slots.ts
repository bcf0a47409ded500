/** So many at once, in the order in which they asked. Once one has failed, none that still waits begins. */
export class Slots {
  #free: number;
  #failure: { readonly error: unknown } | undefined;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
    try {
      if (this.#failure) throw this.#failure.error;
      return await work();
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

/** What all come to. @throws What the first of them throws that fails, once all have ended. */
export async function all<Results extends readonly unknown[]>(
  promises: { readonly [Index in keyof Results]: Promise<Results[Index]> },
): Promise<Results> {
  let failure: { readonly error: unknown } | undefined;
  await Promise.all(promises.map((promise) =>
    promise.catch((error: unknown) => {
      failure ??= { error };
    })
  ));
  if (failure) throw failure.error;
  return await Promise.all(promises) as unknown as Results;
}
