/** Giving up what an executor process was allowed, and proving that it is gone. */

import { openCopyOnWrite } from "../../image/copy_on_write.ts";
import { COPY_MEMORY, STANDALONE } from "../../program/entries.ts";

/** Whether heaps share memory with their base. */
let sharing = false;

/** To be called before anything else. */
export function prepareSharing(): void {
  sharing = !Deno.args.includes(COPY_MEMORY) && openCopyOnWrite();
}

export function sharesMemory(): boolean {
  return sharing;
}

/**
 * What a new Worker may. Where memory is shared it needs some functions of libc, which it opens before anything else, and
 * then gives this up, too.
 */
export function workerPermissions(): Deno.PermissionOptions {
  return sharing ? { ...NOTHING, ffi: true } : "none";
}

const NOTHING = {
  read: false,
  write: false,
  net: false,
  env: false,
  run: false,
  sys: false,
  import: false,
} as const;

/**
 * Gives up, for good, all that the process was allowed when it started.
 *
 * From source one thing stays: reading the program's own modules, which new Workers load. An executable has them
 * embedded and keeps nothing.
 */
export async function revokePermissions(assets: URL): Promise<void> {
  const read: Deno.PermissionDescriptor = STANDALONE ? { name: "read" } : { name: "read", path: assets };
  await Deno.permissions.revoke(read);
  for (const name of ["write", "net", "env", "run", "sys", "import"] as const) {
    await Deno.permissions.revoke({ name });
  }
  if (!sharing) await Deno.permissions.revoke({ name: "ffi" });
}

/** One attempt for each kind of permission; none leaves anything behind if it succeeds against all expectation. */
const ATTEMPTS: Readonly<Record<string, () => unknown>> = {
  read: () => [...Deno.readDirSync("/")],
  write: () => Deno.removeSync(Deno.makeTempFileSync()),
  net: () => Deno.listen({ hostname: "127.0.0.1", port: 0 }).close(),
  env: () => Deno.env.get("PATH"),
  run: () => new Deno.Command(Deno.execPath(), { args: ["--version"] }).outputSync(),
  sys: () => Deno.hostname(),
};

/** Tries what must be impossible now. @returns The kinds that still work: none, unless the runtime has a flaw. */
export function permissionsLeft(): string[] {
  return Object.entries(ATTEMPTS).filter(([, attempt]) => {
    try {
      attempt();
      return true;
    } catch {
      return false;
    }
  }).map(([kind]) => kind);
}
