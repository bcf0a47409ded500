/** Ends a server's executors as a crash would: its sessions then go on from their checkpoints. */

/**
 * @param server Process id.
 * @returns How many there were; undefined where a process's children can't be found out.
 */
export async function killExecutors(server: number): Promise<number | undefined> {
  const children = await procFile(`${server}/task/${server}/children`);
  if (children === undefined) return undefined;
  let killed = 0;
  for (const pid of children.trim().split(" ").filter(Boolean).map(Number)) {
    // It has helpers that are none.
    if (!(await procFile(`${pid}/cmdline`))?.startsWith(Deno.execPath())) continue;
    Deno.kill(pid, "SIGKILL");
    killed++;
  }
  return killed;
}

/** Deno itself reads these only with all permissions. */
async function procFile(path: string): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return undefined;
  try {
    const { success, stdout } = await new Deno.Command("cat", { args: [`/proc/${path}`], stderr: "null" })
      .output();
    return success ? new TextDecoder().decode(stdout) : undefined;
  } catch {
    return undefined; // there is no such program
  }
}
