/** The package for Debian and its kin: the executable, its unit for systemd, manual page and completions. */

import { SHELLS } from "../../src/command_line/commands.ts";
import { completions } from "../../src/command_line/completions.ts";
import { manual } from "../../src/command_line/manual.ts";
import { VERSION } from "../../src/version.ts";
import { run } from "../assets/process.ts";
import { HOMEPAGE_TEXT, inRoot } from "./program.ts";

/** What Debian calls the machines that executables are made for. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64" };
/** The least that the runtime's C library has to be. */
const LIBC = "2.27";
const COMPLETIONS: Readonly<Record<typeof SHELLS[number], string>> = {
  bash: "usr/share/bash-completion/completions/wasmbox",
  zsh: "usr/share/zsh/vendor-completions/_wasmbox",
  fish: "usr/share/fish/vendor_completions.d/wasmbox.fish",
};

/** @param executable The path of one. @returns The file's path. */
export async function packDeb(executable: string, output: string): Promise<string> {
  const architecture = ARCHITECTURES[Deno.build.arch] ?? Deno.build.arch;
  const path = `${output}/wasmbox_${VERSION}_${architecture}.deb`;
  const root = await Deno.makeTempDir({ prefix: "wasmbox-deb-" });
  try {
    await Deno.chmod(root, 0o755);
    const write = async (name: string, contents: string | Uint8Array, mode = 0o644) => {
      await Deno.mkdir(`${root}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
      const bytes = typeof contents === "string" ? new TextEncoder().encode(contents) : contents;
      await Deno.writeFile(`${root}/${name}`, bytes, { mode });
    };
    await write("usr/bin/wasmbox", await Deno.readFile(executable), 0o755);
    const unit = (await Deno.readTextFile(inRoot("deploy/wasmbox.service")))
      .replaceAll("/usr/local/bin/wasmbox", "/usr/bin/wasmbox")
      .replaceAll("/usr/local/share/doc/wasmbox", "/usr/share/doc/wasmbox");
    await write("usr/lib/systemd/system/wasmbox.service", unit);
    await write("usr/share/man/man1/wasmbox.1", `${manual()}\n`);
    for (const shell of SHELLS) await write(COMPLETIONS[shell], `${completions(shell)}\n`);
    for (const name of ["mcp.toml", "policy.toml"]) {
      await write(`usr/share/doc/wasmbox/examples/${name}`, await Deno.readFile(inRoot(`config/${name}`)));
    }
    for (const name of ["OPERATIONS.md", "CONFIGURATION.md"]) {
      await write(`usr/share/doc/wasmbox/${name}`, await Deno.readFile(inRoot(`docs/${name}`)));
    }
    await write("usr/share/doc/wasmbox/copyright", await Deno.readFile(inRoot("LICENSE")));
    const { size } = await Deno.stat(executable);
    await write("DEBIAN/control", control(architecture, size));
    const argv = ["dpkg-deb", "--build", "--root-owner-group", "-Zxz", "-z1", root, path];
    // The same files make the same bytes.
    await run("packing for Debian", { argv, env: { SOURCE_DATE_EPOCH: "315532800" } });
    return path;
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

function control(architecture: string, bytes: number): string {
  return [
    "Package: wasmbox",
    `Version: ${VERSION}`,
    `Architecture: ${architecture}`,
    "Maintainer: the wasmbox project <wasmbox@localhost>",
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    `Depends: libc6 (>= ${LIBC}), libgcc-s1`,
    "Section: devel",
    "Priority: optional",
    `Description: ${HOMEPAGE_TEXT}`,
    " CPython, QuickJS-ng and a bash, compiled to WebAssembly and metered, in sessions",
    " that keep their variables and files from call to call.",
    " .",
    " The unit wasmbox.service is not started: it wants tokens in /etc/wasmbox/tokens.",
    "",
  ].join("\n");
}
