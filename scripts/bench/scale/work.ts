/** The work that sessions compete in, and the same in native processes. */

/** Defines `compete`, which tells how many units of work were done between two moments. */
export const WORK = `
import time
def work(units):
    total = 0
    for _ in range(units):
        for i in range(500): total += i * i
    return total
def compete(start, seconds):
    time.sleep(max(0, start - time.time()))
    end = start + seconds
    done = 0
    while time.time() < end:
        work(4)
        done += 4
    return done
work(3000)
`;

/** Of each of so many processes, how much it did. @returns Undefined where there is no python3. */
export async function native(
  processes: number,
  begin: number,
  seconds: number,
): Promise<number[] | undefined> {
  const args = ["-c", `${WORK}\nprint(compete(${begin}, ${seconds}))`];
  try {
    const outputs = await Promise.all(
      Array.from({ length: processes }, () => new Deno.Command("python3", { args }).output()),
    );
    return outputs.map(({ stdout }) => Number(new TextDecoder().decode(stdout)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
