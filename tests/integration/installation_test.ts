/** A server whose assets are not what was built ends, and says why. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { openPack } from "../../src/program/asset_pack.ts";
import { ELF_HEADER_BYTES, elfImageBytes } from "../../src/program/stored_assets.ts";
import { type Command, serverCommand, UNDER_TEST } from "../support/harness.ts";

const ROOT = new URL("../../", import.meta.url);

/** A copy of the program in which some bytes of an asset are others. */
class AlteredCopy implements AsyncDisposable {
  private constructor(readonly directory: string, readonly server: Command) {}

  static async make(asset: string): Promise<AlteredCopy> {
    const directory = await Deno.makeTempDir({ prefix: "wasmbox-altered-" });
    const { command, args } = serverCommand();
    if (UNDER_TEST === "executable") {
      const path = `${directory}/wasmbox`;
      await Deno.copyFile(command, path);
      await alter(path, await placeOf(asset, path));
      return new AlteredCopy(directory, { command: path, args });
    }
    const sources = ["src", "wasm", "main.ts", "deno.json", "deno.lock"].map((name) =>
      fileURLToPath(new URL(name, ROOT))
    );
    const { success } = await new Deno.Command("cp", { args: ["-r", ...sources, directory] }).output();
    assert.ok(success);
    await alter(`${directory}/wasm/dist/${asset}`, 1000);
    const root = fileURLToPath(ROOT);
    const moved = args.map((arg) => arg.replace(root, `${directory}/`));
    return new AlteredCopy(directory, { command, args: ["run", "--allow-net", ...moved.slice(1)] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.directory, { recursive: true });
  }
}

/** Where a byte of an asset is in an executable. */
async function placeOf(asset: string, executable: string): Promise<number> {
  using file = await Deno.open(executable);
  const header = new Uint8Array(ELF_HEADER_BYTES);
  await file.read(header);
  const { start, index } = await openPack(executable, elfImageBytes(header));
  return start + index[asset]!.start + 1000;
}

async function alter(path: string, at: number): Promise<void> {
  using file = await Deno.open(path, { read: true, write: true });
  const byte = new Uint8Array(1);
  await file.seek(at, Deno.SeekMode.Start);
  await file.read(byte);
  await file.seek(at, Deno.SeekMode.Start);
  await file.write(byte.map((value) => value ^ 1));
}

for (
  const [asset, serve] of [["python-stdlib.zip", ["serve"]], ["DejaVuSans.ttf", [
    "serve",
    "--http",
    "--port=0",
  ]]] as const
) {
  Deno.test({
    name: `[${UNDER_TEST}] a server (${
      serve.join(" ")
    }) in whose ${asset} one bit is another one ends and says so`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      await using copy = await AlteredCopy.make(asset);
      const server = new Deno.Command(copy.server.command, {
        args: [...copy.server.args, ...serve],
        stdin: "piped", // and left open: a client that waits
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const hanging = setTimeout(() => server.kill("SIGKILL"), 60_000);
      const [stderr, , { code, signal }] = await Promise.all([
        new Response(server.stderr).text(),
        server.stdout.pipeTo(new WritableStream()),
        server.status,
      ]);
      clearTimeout(hanging);
      await server.stdin.close().catch(() => {});
      assert.deepEqual([code, signal], [1, null], stderr);
      const expected = new RegExp(
        `^wasmbox: this installation is damaged: ${asset} is not what was built \\(its SHA-256 differs\\)\\. .*: (install|build) `,
        "m",
      );
      assert.match(stderr, expected);
    },
  });
}
