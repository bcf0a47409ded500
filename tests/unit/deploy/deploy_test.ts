/** What is in deploy, as the tools of those who read it see it. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const UNIT = new URL("../../../deploy/wasmbox.service", import.meta.url);
/** The goal: the score that `systemd-analyze security` may give at most, times ten. */
const MAX_EXPOSURE = 20;

const available = await new Deno.Command("systemd-analyze", { args: ["--version"] }).output()
  .then(({ success }) => success, () => false);

async function analyze(args: string[]): Promise<{ success: boolean; text: string }> {
  const { success, stdout, stderr } = await new Deno.Command("systemd-analyze", { args }).output();
  return { success, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

Deno.test({
  name: "the unit for systemd is clean, and exposes little",
  ignore: !available,
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      // The executable is not installed here; another one stands for it.
      const unit = (await Deno.readTextFile(UNIT)).replaceAll("/usr/local/bin/wasmbox", Deno.execPath());
      const path = `${directory}/wasmbox.service`;
      await Deno.writeTextFile(path, unit);
      assert.deepEqual(await analyze(["verify", path]), { success: true, text: "" });
      const security = ["security", "--offline=yes", "--no-pager", `--threshold=${MAX_EXPOSURE}`, path];
      const { success, text } = await analyze(security);
      assert.ok(success, text);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

/** PyPI's kubernetes-validate, which has the schemas of Kubernetes with it. */
const VALIDATOR = "kubernetes-validate";
const canValidate = await new Deno.Command("which", { args: [VALIDATOR] }).output().then(({ success }) =>
  success
);

Deno.test({
  name: `the manifests for Kubernetes are valid${canValidate ? "" : ` (there is no ${VALIDATOR})`}`,
  ignore: !canValidate,
  async fn() {
    for (const name of ["kubernetes.yaml", "kubernetes-many.yaml"]) {
      const path = fileURLToPath(new URL(`../../../deploy/${name}`, import.meta.url));
      const { success, stdout, stderr } = await new Deno.Command(VALIDATOR, { args: ["--strict", path] })
        .output();
      assert.ok(success, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
    }
  },
});
