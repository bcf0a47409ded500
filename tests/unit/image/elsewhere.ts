/** Other places for a session to go on in: a new Worker, a new process. */

import { type Assets, type Done, goOn, loadAssets, type Task } from "./session.ts";

/** In a new Worker without permissions, with what an executor's main thread would post to it. */
export async function inWorker(assets: Assets, task: Task): Promise<Done> {
  const worker = new Worker(new URL("worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: "none" },
  });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message));
      };
      worker.postMessage({ assets, task });
    });
  } finally {
    worker.terminate();
  }
}

/** In a new process. */
export async function inProcess(task: Task): Promise<Done> {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeFile(`${directory}/image`, task.image);
    const { before, steps } = task;
    await Deno.writeTextFile(`${directory}/task`, JSON.stringify({ before, steps }));
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-check",
        "--no-prompt",
        "--allow-read",
        "--allow-write",
        "--v8-flags=--stack-size=3600",
        new URL("elsewhere.ts", import.meta.url).href,
        directory,
      ],
      cwd: new URL("../../../", import.meta.url),
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const results = JSON.parse(new TextDecoder().decode(stdout));
    return { results, image: await Deno.readFile(`${directory}/image`) };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

if (import.meta.main) {
  const [directory] = Deno.args;
  const image = await Deno.readFile(`${directory}/image`);
  const task = JSON.parse(await Deno.readTextFile(`${directory}/task`));
  const done = await goOn(loadAssets(), { ...task, image });
  await Deno.writeFile(`${directory}/image`, done.image);
  console.log(JSON.stringify(done.results));
}
