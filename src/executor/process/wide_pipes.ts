/** Makes the pipes to the server wider than the system does (Linux). */

import { PIPE_BYTES } from "../wire/bounds.ts";

const SYMBOLS = { fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" } } as const;
/** <fcntl.h> */
const F_SETPIPE_SZ = 1031;
const STDIN = 0;
const STDOUT = 1;

/** To be called while the process may (`--allow-ffi`). Where it can't be done pipes stay as they are: images take longer. */
export function widenPipes(): void {
  if (Deno.build.os !== "linux") return;
  try {
    const libc = Deno.dlopen("libc.so.6", SYMBOLS);
    for (const end of [STDIN, STDOUT]) libc.symbols.fcntl(end, F_SETPIPE_SZ, PIPE_BYTES);
    libc.close();
  } catch {
    // another C library, or it is not allowed
  }
}
