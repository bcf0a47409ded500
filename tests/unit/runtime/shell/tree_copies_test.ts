/** What `rsync`, `cpio`, `rename` and `shred` have of their own here, or where the machine's could do harm. */

import { equal, match } from "node:assert/strict";
import { Shell } from "./harness.ts";

Deno.test("rsync refuses what would come to something else here, and does not what it was not asked for", async () => {
  const shell = new Shell();
  await shell.out("mkdir s; echo x > s/a");
  for (
    const option of [
      "--append",
      "-C",
      "-U",
      "-F",
      "--chown=a:b",
      "-f ': .rules'",
      "--log-file=l",
      "--iconv=.",
    ]
  ) {
    const refused = await shell.run(`rsync -a ${option} s/ n`);
    match(refused.stderr, / not here/, option);
    equal(refused.exitCode, 1, option);
  }
  equal(await shell.out("ls"), "s\n");
});

Deno.test("rsync of a tree into itself, through loops of links, and onto itself ends, and loses nothing", async () => {
  const shell = new Shell();
  await shell.out("mkdir -p s/d; echo x > s/a; rsync -a s/ s/d/; rsync -a s s/d");
  equal(await shell.out("find s | wc -l"), "10\n");
  await shell.out("ln -s .. s/up");
  const looped = await shell.run("rsync -aL s/ n");
  match(looped.stderr, /Too many levels of symbolic links/);
  equal(looped.exitCode, 23);
  equal(
    await shell.out("rsync -aI s/a s/a; rsync -I --inplace s/a s/a; cat s/a"),
    "x\n",
  );
  equal((await shell.run("rsync -a --remove-source-files s/a s/a")).exitCode, 23);
  equal(await shell.out("cat s/a"), "x\n");
});

Deno.test("rsync leaves a directory in which there are copies that it put aside, and that is no failure", async () => {
  const shell = new Shell();
  await shell.out("mkdir -p s t/gone; echo x > t/gone/f");
  const ran = await shell.run("rsync -ab --delete s/ t");
  equal(ran.stdout, "cannot delete non-empty directory: gone\n");
  equal(ran.exitCode, 0);
  equal(await shell.out("ls t/gone"), "f~\n");
});

Deno.test("rsync and cpio leave nothing half written where there is no room", async () => {
  const shell = new Shell({ maxBytes: 8 << 20 });
  await shell.out("head -c 5000000 /dev/zero > f; echo old > g");
  const copied = await shell.run("rsync f g");
  match(copied.stderr, /No space left on device/);
  equal(copied.exitCode, 11);
  equal((await shell.run("echo f | cpio -pd n")).exitCode, 2);
  equal(await shell.out("cat g; ls -A . n"), "old\n.:\nf\ng\nn\n\nn:\n");
});

Deno.test("archives for cpio can't lead out of where they are read, nor through links of their own", async () => {
  const shell = new Shell();
  await shell.out("mkdir d e; echo evil > out; cd d; echo ../out | cpio -o --quiet > ../up; rm ../out");
  const up = await shell.run("cd /app/e; cpio -i < ../up");
  match(up.stderr, /leads out by '\.\.': left out/);
  equal(up.exitCode, 2);
  equal(
    await shell.out("cpio -i --quiet --no-absolute-filenames < ../up 2>/dev/null; ls . ..; rm out"),
    ".:\nout\n\n..:\nd\ne\nup\n",
  );
  await shell.out("cd ../d; mkdir t; ln -s ../t l; echo l | cpio -o -H odc --quiet | head -c 82 > ../both");
  await shell.out("rm l; mkdir l; echo x > l/x; echo l/x | cpio -o -H odc --quiet >> ../both; mkdir ../t");
  const through = await shell.run("cd ../e; cpio -i < ../both; ls ../t");
  match(through.stderr, /its way leads through a link of the same archive/);
  equal(through.stdout, "");
});

Deno.test("cpio tells what an archive is that it does not read, and ends at one that is cut off", async () => {
  const shell = new Shell();
  await shell.out("echo x > f; echo f | cpio -o -H newc --quiet > a");
  match((await shell.run("gzip -c a | cpio -t")).stderr, /it is packed, zcat unpacks it/);
  match((await shell.run("tar c f | cpio -t")).stderr, /an archive of tar's/);
  match(
    (await shell.run("sed 's/0000000200000000/FFFFFFFF00000000/' a | cpio -iu")).stderr,
    /premature end of file/,
  );
});

Deno.test("rename refuses Perl that it does not know, and patterns that would take for ever", async () => {
  const shell = new Shell();
  await shell.out("touch a.x");
  for (
    const expression of [
      "s/a/1+1/e",
      "s/a/$x/",
      "s/@list//",
      "our $i; s/a/b/",
      "s/a/b/ if -e",
      "$_ .= 1",
      "tr/a/b/r",
    ]
  ) {
    const refused = await shell.run(`rename '${expression}' a.x`);
    equal(refused.exitCode, 2, expression);
    match(refused.stderr, /^rename: /, expression);
  }
  equal(await shell.out("ls"), "a.x\n");
  await shell.out("touch $(printf 'a%.0s' {1..200})");
  match((await shell.run("rename 's/^(?=(a+)+b)/x/' aaa*")).stderr, /backtrack|limit|^$/i);
});

Deno.test("util-linux's rename is taken where the first operand is a string", async () => {
  const shell = new Shell();
  await shell.out("touch a1.jpeg a2.jpeg aa; ln -s a1.jpeg l");
  equal(await shell.out("rename -v .jpeg .jpg *.jpeg"), "`a1.jpeg' -> `a1.jpg'\n`a2.jpeg' -> `a2.jpg'\n");
  equal(
    await shell.out("rename -a a b aa; rename -l b c bb; rename -s jpeg jpg l; readlink l; ls"),
    "a1.jpg\na1.jpg\na2.jpg\nbc\nl\n",
  );
  equal((await shell.run("rename x y a1.jpg")).exitCode, 4);
  equal((await shell.run("rename a b nowhere")).exitCode, 1);
  equal((await shell.run("rename a b nowhere a1.jpg")).exitCode, 2);
  match((await shell.run("rename -f a b a2.jpg")).stderr, /'f' is one of Perl's rename/);
});
