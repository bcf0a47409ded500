import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { Section } from "../../../../src/executor/wire/entry.ts";
import { ImageError } from "../../../../src/executor/wire/image_error.ts";
import { Shell } from "./harness.ts";

Deno.test("variables, arrays, functions, aliases and the directory stay from script to script", async () => {
  const shell = new Shell();
  await shell.out(
    `x='a "b"'; declare -A m=([k]=v); a=(1 2); f() { echo "f $1 $x"; }; alias ll='ls -l'; mkdir d; cd d`,
  );
  equal(
    await shell.out(`echo "$x" \${m[k]} \${a[1]}; f y; pwd; alias ll`),
    `a "b" v 2\nf y a "b"\n/app/d\nalias ll='ls -l'\n`,
  );
});

Deno.test("options of set are those of one script", async () => {
  const shell = new Shell();
  equal((await shell.run("set -eu; false")).exitCode, 1);
  equal(await shell.out("false; echo $nope on"), "on\n");
});

Deno.test("what a script did before it exits stays", async () => {
  const shell = new Shell();
  equal((await shell.run("y=1; exit 3")).exitCode, 3);
  equal(await shell.out("echo $y"), "1\n");
});

Deno.test("an EXIT trap runs at the script's end, with its variables, and once", async () => {
  const shell = new Shell();
  const ran = await shell.run(`trap 'echo "bye $v"' EXIT; v=1; echo hi; exit 4`);
  deepEqual([ran.stdout, ran.exitCode], ["hi\nbye 1\n", 4]);
  equal(await shell.out("echo next"), "next\n");
});

Deno.test("output arrives statement by statement", async () => {
  const shell = new Shell();
  let writes = 0;
  await shell.run("echo one; sleep 0.01; echo two >&2; sleep 0.01; echo three", { onWrite: () => writes++ });
  equal(writes, 3);
});

Deno.test("every byte passes through pipes and files unchanged", async () => {
  const shell = new Shell();
  const all = Uint8Array.from({ length: 1024 }, (_, i) => i * 7);
  shell.fs.writeFile("/app/all", all);
  for (
    const script of [
      "cat all",
      "cat < all | cat",
      "base64 all | base64 -d",
      "gzip -c all | gunzip",
      "gzip -k all; zcat all.gz",
      "tar c all | tar xO",
      "zip -q a.zip all; unzip -p a.zip",
      "xxd -p all | xxd -r -p",
      "cp all copy; cat copy",
      "python3 -c 'import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())' < all",
      "node -e 'process.stdout.write(require(\"fs\").readFileSync(0))' < all",
      "tee again < all > /dev/null; cat again",
    ]
  ) {
    const { bytes, stderr } = await shell.run(script);
    deepEqual(bytes, all, `${script}: ${stderr}`);
  }
});

Deno.test("a program of the shell ends with the exit code that it sets, and is told so", async () => {
  const shell = new Shell();
  const ran = await shell.run(
    `node -e 'process.on("exit", (code) => console.log("exit", code)); process.exitCode = 3'`,
  );
  deepEqual([ran.stdout, ran.exitCode], ["exit 3\n", 3]);
});

Deno.test("fuel of a script is its own and that of the interpreters it runs, and is bounded", async () => {
  const shell = new Shell();
  const { outcome } = await shell.run(
    "python3 -c 'sum(range(100000))'; node -e 'for (let i = 0; i < 1e5; i++);'",
  );
  ok(outcome.fuelConsumed > 100_000, `${outcome.fuelConsumed}`);
  const spent = await shell.run("python3 -c 'while True: pass'; echo on", { fuelBudget: 5_000_000 });
  deepEqual([spent.outcome.status, spent.outcome.heap, spent.stdout], ["out_of_fuel", "kept", ""]);
  const counts = [];
  for (const fresh of [new Shell(), new Shell()]) {
    counts.push((await fresh.run("seq 3")).outcome.fuelConsumed);
  }
  ok(counts[0]! > 0 && counts[0] === counts[1], `${counts}`);
  const loop = await shell.run("while :; do :; done", { fuelBudget: 5_000_000 });
  deepEqual([loop.outcome.status, loop.outcome.heap], ["out_of_fuel", "kept"]);
});

const BAD_ARCHIVES = `
import tarfile, zipfile, io
def add(t, name, **more):
    i = tarfile.TarInfo(name); i.size = 2
    for k, v in more.items(): setattr(i, k, v)
    t.addfile(i, io.BytesIO(b'no') if i.type == tarfile.REGTYPE else None)
with tarfile.open('bad.tar', 'w') as t:
    add(t, '../../tmp/a'); add(t, '/tmp/b'); add(t, 'x/../../../tmp/c')
    add(t, 'link', type=tarfile.SYMTYPE, linkname='/tmp', size=0); add(t, 'link/d')
    add(t, 'hard', type=tarfile.LNKTYPE, linkname='../../secret', size=0)
with zipfile.ZipFile('bad.zip', 'w') as z:
    for n in ('../../tmp/e', '/tmp/f', '..\\\\..\\\\tmp\\\\g'): z.writestr(n, 'no')
`;

Deno.test("an archive's names lead nowhere but below the directory it is extracted to", async () => {
  const shell = new Shell();
  shell.fs.writeFile("/app/make.py", new TextEncoder().encode(BAD_ARCHIVES));
  await shell.out("python3 make.py; echo s > secret; mkdir out");
  for (const script of ["tar xf bad.tar -C out", "unzip -q -o bad.zip -d out"]) {
    equal((await shell.run(script)).exitCode, 2, script);
  }
  equal(await shell.out("ls -A /tmp"), "");
  equal(
    await shell.out("ls out/tmp; readlink out/link; ls -A out | sort | head -1"),
    "b\nf\n/tmp\n..\\..\\tmp\\g\n",
  );
});

Deno.test("an archive that would fill the workspace is refused, and leaves nothing half-written", async () => {
  const shell = new Shell({ maxBytes: 4 << 20 });
  await shell.out(`python3 -c "
import gzip, zipfile
open('b.gz', 'wb').write(gzip.compress(bytes(10_000_000)))
zipfile.ZipFile('b.zip', 'w', zipfile.ZIP_DEFLATED).writestr('b', bytes(10_000_000))
"`);
  for (const script of ["gunzip -k b.gz", "zcat b.gz", "unzip b.zip", "tar xf b.gz"]) {
    const { exitCode, stderr } = await shell.run(script);
    ok(exitCode !== 0 && /bytes come out/.test(stderr), `${script}: ${exitCode} ${stderr}`);
  }
  equal(await shell.out("ls"), "b.gz\nb.zip\n");
});

Deno.test("a write that exceeds the quota fails and keeps what was there", async () => {
  const shell = new Shell({ maxBytes: 1 << 20 });
  await shell.out("echo old > f; head -c 600000 /dev/zero > a");
  ok((await shell.run("cp a b")).exitCode !== 0);
  ok((await shell.run("cat a a a > f")).exitCode !== 0);
  equal(await shell.out("wc -c < a"), "600000\n");
});

Deno.test("a rollback goes to what was captured last, else to a fresh shell; a restore goes on elsewhere", async () => {
  const shell = new Shell();
  await shell.out("x=1; cd /tmp");
  shell.runtime.rollback();
  equal(await shell.out("echo ${x-none}; pwd"), "none\n/app\n");
  await shell.out("x=2; f() { echo f$x; }");
  const entries = shell.runtime.beginCapture().commit().map((entry) => ({
    ...entry,
    bytes: entry.bytes!.slice(),
  }));
  await shell.out("x=3; unset -f f");
  shell.runtime.rollback();
  equal(await shell.out("echo $x; f"), "2\nf2\n");
  const elsewhere = new Shell();
  elsewhere.runtime.restore(entries);
  equal(await elsewhere.out("f"), "f2\n");
});

/** A shell that goes on from what another one is, and what it lacks. */
function elsewhere(shell: Shell): { shell: Shell; lost: string | undefined } {
  const entries = shell.runtime.beginCapture().commit().map((entry) => ({
    ...entry,
    bytes: entry.bytes!.slice(),
  }));
  const other = new Shell();
  return { lost: other.runtime.restore(entries), shell: other };
}

/** Definitions of `f`. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  "a here-document at its end": "f() { cat <<EOF\nx $1 `echo y`\nEOF\n}",
  "a quoted here-document": "f() { cat <<'E O F'\nhi $1 `y`\nE O F\n}",
  "here-documents in a pipeline": "f() { cat <<-A | sed s/a/b/ - <<B\n\tone\n\tA\ntwo\nB\n}",
  "a here-document in a subshell": "f() ( cat <<X\na $1\nX\n)",
  "a here-document in a substitution": 'f() { x=$(cat <<X\na\nX\n); echo "$x"; }',
  "a here-document before ||": "f() { false && cat <<X || echo b\nz\nX\n}",
  "a here-document whose text follows the function": "f() { for i in 1 2; do cat <<E; done; }\nhi\nE",
  "a line feed in $''": "f() { printf '<%s>' $'x\\n' $'\\t' ' \\ '; }",
  "quotes of all kinds": 'f() { echo \'it\'\\\'\'s\' "a\\"b $1" \\* "$(echo ")")"; }',
  "a case that falls through": "f() { case $1 in a|b) echo x;;& *) echo y;& z) echo z;; esac; }",
  "redirections of its own": "f() { echo x; echo y >&2; } 2>&1",
  "arithmetic":
    "f() { for ((i = 0; i < 3; i++)); do echo $((i ** 2)) $((16#ff)); done; (( n += 2 )); echo $n; }",
  "a test with a pattern":
    "f() { [[ 'a1' =~ ^(a)([0-9])$ ]] && echo ${BASH_REMATCH[2]} ${1:-\"}\"} ${1/a/b}; }",
  "braces and process substitutions": "f() { cat <(echo {1..3}{a,b}) <(echo ~); }",
  "another function in it": "f() { g() { cat <<E\ninner\nE\n}; g; }",
};

Deno.test("functions of every form do elsewhere what they did here", async () => {
  for (const [form, definition] of Object.entries(FUNCTIONS)) {
    const shell = new Shell();
    await shell.out(definition);
    const moved = elsewhere(shell);
    const expected = await shell.run("f a; f a");
    equal(moved.lost, undefined, form);
    const { stdout, stderr, exitCode } = await moved.shell.run("f a; f a");
    deepEqual([stdout, stderr, exitCode], [expected.stdout, expected.stderr, expected.exitCode], form);
    ok(expected.exitCode === 0, `${form}: ${expected.stderr}`);
  }
});

Deno.test("names of functions and values of variables that no script could repeat go on elsewhere", async () => {
  const shell = new Shell();
  await shell.out(
    "function a-b { echo dash; }; x.y() { echo dot; }",
  );
  await shell.out("x=$'\\ud800'; y=$'\\xff\\xfe'; declare -A m; m[$x]=1; m[$'\\n']=2; z=$(printf '\\x01')");
  const probe = 'a-b; x.y; printf \'%s\' "$x" "$y" "$z" ${#m[@]} | od -c';
  const expected = await shell.out(probe);
  const moved = elsewhere(shell);
  equal(moved.lost, undefined);
  equal(await moved.shell.out(probe), expected);
});

Deno.test("a state that is no shell's leaves a fresh shell after a rollback", () => {
  const shell = new Shell();
  for (const text of ["", "{", "null", '{"functions":"f() { :; }"}', '{"functions":[{"type":"If"}]}']) {
    const entry = { section: Section.shellState, a: 0, b: 0, bytes: new TextEncoder().encode(text) };
    throws(() => shell.runtime.restore([entry]), ImageError);
    shell.runtime.rollback();
    deepEqual(shell.runtime.beginCapture().commit(), []);
  }
});

Deno.test("a shell that was never used is no part of the image", () => {
  const pending = new Shell().runtime.beginCapture();
  deepEqual([pending.imageBytes, pending.commit()], [0, []]);
});

Deno.test("other names of the working directory are directories to commands, and met once by who goes through the tree", async () => {
  const shell = new Shell();
  await shell.out("mkdir d; echo text > d/f.txt; ln -s d l");
  for (const place of ["/workspace", "/content", "/mnt/data", "/home/user"]) {
    equal(await shell.out(`find ${place} -name f.txt`), `${place}/d/f.txt\n`);
    equal(await shell.out(`ls -l ${place} | grep -c ^l; [ -d ${place} ] && ls -d ${place}`), `1\n${place}\n`);
    equal(await shell.out(`tar cf /tmp/t.tar ${place}; tar tf /tmp/t.tar | grep -c f.txt`), "1\n");
    equal(
      await shell.out(`(cd /tmp && zip -qr z.zip ${place} && unzip -l z.zip | grep -c f.txt; rm z.zip)`),
      "2\n",
    );
    equal(await shell.out(`cp -r ${place} /tmp/copy; cat /tmp/copy/d/f.txt; rm -r /tmp/copy`), "text\n");
    equal(
      await shell.out(`grep -rc text ${place}/d ${place} | sort -u | wc -l; du -s ${place} | cut -f 2`),
      `1\n${place}\n`,
    );
  }
  equal(
    await shell.out(
      "find / -name f.txt 2>/dev/null; tar cf /tmp/t.tar / 2>/dev/null; tar tf /tmp/t.tar | grep -c d/f.txt",
    ),
    "/app/d/f.txt\n1\n",
  );
  equal(await shell.out("echo x > /root/x; cp d/f.txt /root/; mv /root/f.txt /root/g; ls /root"), "g\nx\n");
});
