/** Progress of the build, on stderr: a server's stdout carries protocol only. */

const encoder = new TextEncoder();

function print(text: string): void {
  Deno.stderr.writeSync(encoder.encode(text));
}

/** Prints one line of its own. */
export function note(text: string): void {
  print(`assets: ${text}\n`);
}

/** Runs one step, with a line that says what it is and, once it has ended, the time it took. */
export async function step<T>(what: string, run: () => Promise<T>): Promise<T> {
  const start = performance.now();
  print(`assets: ${what} … `);
  try {
    const result = await run();
    const seconds = (performance.now() - start) / 1000;
    print(`${seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0)} s\n`);
    return result;
  } catch (error) {
    print("failed\n");
    throw error;
  }
}
