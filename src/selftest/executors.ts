/** A server's executor processes as the host sees them, to end them as a crash would. */

/** Prints the ids of a process's children that are started as this program is; a server's shell beside it is not. */
const CHILDREN = `for child in $(cat "/proc/$1/task/"*/children); do
  case "$(tr '\\0' ' ' < "/proc/$child/cmdline")" in "$2 "*) echo "$child";; esac
done`;

/**
 * @param server Process id.
 * @returns Process ids; undefined where the platform does not tell them.
 */
export async function executorsOf(server: number): Promise<readonly number[] | undefined> {
  if (Deno.build.os !== "linux") return undefined;
  // Deno itself reads /proc only with all permissions.
  const { success, stdout } = await new Deno.Command("/bin/sh", {
    args: ["-c", CHILDREN, "sh", String(server), Deno.execPath()],
    stderr: "null",
  }).output();
  if (!success) return undefined;
  return new TextDecoder().decode(stdout).split("\n").filter(Boolean).map(Number);
}
