/** Everyday programs (`tests/tasks`), as an agent writes them before it has read anything. */

const TASKS = new URL("../tasks/", import.meta.url);

export interface Task {
  readonly name: string;
  readonly language: "python" | "javascript" | "typescript";
  readonly code: string;
  /** What it prints on another system's Python or Node. */
  readonly expected: string;
}

const LANGUAGES = { py: "python", js: "javascript", ts: "typescript" } as const;

/** The programs of a folder of them, by their names. */
export async function tasksOf(folder: "." | "science" | "scipy" | "javascript"): Promise<Task[]> {
  const directory = new URL(`${folder}/`, TASKS);
  const files = [...Deno.readDirSync(directory)].map(({ name }) => name).filter((name) =>
    /\.(py|js|ts)$/.test(name)
  );
  return await Promise.all(
    files.sort().map(async (file) => {
      const name = file.slice(0, -".py".length);
      return {
        language: LANGUAGES[file.slice(-2) as keyof typeof LANGUAGES],
        name: name.replaceAll("_", " "),
        code: await Deno.readTextFile(new URL(file, directory)),
        expected: (await Deno.readTextFile(new URL(`${name}.txt`, directory))).trimEnd(),
      };
    }),
  );
}
