/** `zstd`, and archives that it packs. */

import { equal, match } from "node:assert/strict";
import { Shell } from "./harness.ts";

/** What zstd 1.5 makes of `seq 1 60; echo "the end"` with -19. */
const FOREIGN =
  "KLUv/QRoDQMAMksXEsAlHSbgLP/3EkLI3lLy96AJAweEAAhD8SCf2tSlJnXVVLdmvXrUhzZ0oQldNNGlSY8e9Omml056dert7OujH2544YQXJ15OPj742WaXTXZt2t3c22OfzWVyTXe+AHLksSU=";

Deno.test("zstd reads what the program of that name wrote", async () => {
  const shell = new Shell();
  equal(await shell.out(`base64 -d <<< ${FOREIGN} | zstd -dc | tail -n 2`), "60\nthe end\n");
});

Deno.test("zstd packs files beside themselves, and keeps their modes and times", async () => {
  const shell = new Shell();
  await shell.out("seq 1000 > a; chmod 700 a; touch -d @1000 a; zstd -q a; mv a b");
  equal(await shell.out("zstd -dq a.zst; cmp a b && stat -c '%a %Y' a; ls"), "700 1000\na\na.zst\nb\n");
  equal(await shell.out("zstd -q --rm b; ls; unzstd -q --rm b.zst; ls"), "a\na.zst\nb.zst\na\na.zst\nb\n");
});

Deno.test("zstd replaces nothing without being told to", async () => {
  const { stdout, stderr, exitCode } = await new Shell().run(
    "echo a > a; echo kept > a.zst; zstd a; x=$?; cat a.zst; exit $x",
  );
  equal(stdout, "kept\n");
  equal(exitCode, 1);
  match(stderr, /a\.zst already exists; not overwritten/);
});

Deno.test("packed data that is damaged, cut off or none is told, and leaves no file", async () => {
  const shell = new Shell();
  await shell.out("seq 100000 > a; zstd -qk a; head -c 1000 a.zst > cut.zst; echo no > none.zst");
  await shell.out(
    "python3 -c \"z = bytearray(open('a.zst', 'rb').read()); z[5000] ^= 1; open('bad.zst', 'wb').write(z)\"",
  );
  for (const name of ["cut", "none", "bad"]) {
    const { stderr, exitCode } = await shell.run(`zstd -dq ${name}.zst`);
    equal(exitCode, 1, name);
    match(stderr, new RegExp(`^zstd: ${name}.zst: `), name);
  }
  equal(await shell.out("ls cut none bad 2> /dev/null || true"), "");
  equal(await shell.out("zstdcat -f none.zst"), "no\n");
});

Deno.test("more than a frame comes back whole, through pipes and tar", async () => {
  const shell = new Shell();
  equal(
    await shell.out("head -c 5000000 /dev/urandom > r; zstd -c r | zstd -d | cmp - r && echo same"),
    "same\n",
  );
  equal(await shell.out("tar --zstd -cf r.tar.zst r; tar -xOf r.tar.zst r | cmp - r && echo same"), "same\n");
  equal(
    await shell.out("echo a > a; tar -I 'xz -1' -cf r.txz a; tar tf r.txz; tar -I 'rm -rf' -cf x r; echo $?"),
    "a\n2\n",
  );
});
