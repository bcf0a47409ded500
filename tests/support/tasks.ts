/** Everyday programs (`tests/tasks`), as an agent writes them before it has read anything. */

const TASKS = new URL("../tasks/", import.meta.url);

export interface Task {
  readonly name: string;
  readonly code: string;
  /** What it prints on another system's Python. */
  readonly expected: string;
}

/** The programs of a folder of them, by their names. */
export async function tasksOf(folder: "." | "science"): Promise<Task[]> {
  const directory = new URL(`${folder}/`, TASKS);
  const files = [...Deno.readDirSync(directory)].map(({ name }) => name).filter((name) =>
    name.endsWith(".py")
  );
  return await Promise.all(
    files.sort().map(async (file) => {
      const name = file.slice(0, -".py".length);
      return {
        name: name.replaceAll("_", " "),
        code: await Deno.readTextFile(new URL(file, directory)),
        expected: (await Deno.readTextFile(new URL(`${name}.txt`, directory))).trimEnd(),
      };
    }),
  );
}
