/** `git` in a session: everyday use, from all languages, stopped. What it prints is git's own. */

import assert from "node:assert/strict";
import { type Reply, type TestServer, UNDER_TEST } from "../support/harness.ts";
import { patientServer, sharedServer } from "../support/shared.ts";

const ME = `export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b.c
export GIT_AUTHOR_DATE='1700000000 +0100' GIT_COMMITTER_DATE='1700000060 +0000'
git config --global init.defaultBranch main\n`;

async function shell(
  server: TestServer,
  command: string,
  more: Record<string, unknown> = {},
): Promise<Reply> {
  const { structured, isError } = await server.call("execute_command", { command, ...more });
  return { ...structured, isError } as unknown as Reply;
}

async function printed(script: string): Promise<string> {
  const ran = await shell(await sharedServer(), `set -e\n${ME}${script}`);
  assert.equal(ran.exit_code, 0, ran.stderr);
  return ran.stdout;
}

Deno.test(`[${UNDER_TEST}] git: ids of commits are those of their contents, names and dates`, async () => {
  const script =
    "git init -q r; cd r; echo hi > f; mkdir d; echo x > d/g; chmod +x d/g; ln -s f l; git add -A";
  const shown = await printed(`${script}; git commit -qm 'one

body'; git rev-parse HEAD HEAD^{tree} HEAD:d; git tag -a v1 -m t; git rev-parse v1`);
  assert.deepEqual(shown.split("\n"), [
    "c7f61131bc3c478ada6e2fea210641ee88586858",
    "ed1972bda364cd0e6f69ae5f32b9b916fd85a87e",
    "2d4a3378de16aa4174f76344893f5e56d983f704",
    "8455a1e7a8bb7a4eec497dd80d3d25347e8334c3",
    "",
  ]);
});

Deno.test(`[${UNDER_TEST}] git: what is changed, staged and unknown is told as git tells it`, async () => {
  const shown = await printed(
    `git init -q r; cd r; printf '1\\n2\\n3\\n' > f; echo g > g; git add .; git commit -qm one
    printf '1\\ntwo\\n3\\n' > f; git mv g h; echo new > n; echo log > x.log; echo '*.log' > .gitignore
    git status --short; git diff; git diff --cached --stat; git status`,
  );
  assert.equal(
    shown,
    ` M f
R  g -> h
?? .gitignore
?? n
diff --git a/f b/f
index 01e79c3..d8eb098 100644
--- a/f
+++ b/f
@@ -1,3 +1,3 @@
 1
-2
+two
 3
 g => h | 0
 1 file changed, 0 insertions(+), 0 deletions(-)
On branch main
Changes to be committed:
  (use "git restore --staged <file>..." to unstage)
	renamed:    g -> h

Changes not staged for commit:
  (use "git add <file>..." to update what will be committed)
  (use "git restore <file>..." to discard changes in working directory)
	modified:   f

Untracked files:
  (use "git add <file>..." to include in what will be committed)
	.gitignore
	n

`,
  );
});

Deno.test(`[${UNDER_TEST}] git: branches are merged, and conflicts are left between markers`, async () => {
  const shown = await printed(`git init -q r; cd r; seq 1 9 > f; git add .; git commit -qm base
    git switch -qc side; sed -i 's/^1$/one/; s/^9$/nine/' f; git commit -qam side
    git switch -q main; sed -i 's/^9$/neun/' f; git commit -qam main
    git merge side || echo "exit $?"; cat f; git status --porcelain
    git checkout --theirs f; git add f; git commit -qm merged
    git log --format='%s|%P' | cut -c1-9; git reset -q --hard HEAD~1; git merge -q -X ours side; tail -1 f`);
  assert.equal(
    shown,
    `Auto-merging f
CONFLICT (content): Merge conflict in f
Automatic merge failed; fix conflicts and then commit the result.
exit 1
one
2
3
4
5
6
7
8
<<<<<<< HEAD
neun
=======
nine
>>>>>>> side
UU f
merged|42
main|4d93
side|4d93
base|
Auto-merging f
neun
`,
  );
});

Deno.test(`[${UNDER_TEST}] git: a stash is put away and comes back; what is thrown away is gone`, async () => {
  const shown = await printed(`git init -q r; cd r; echo 1 > f; git add .; git commit -qm one
    echo 2 > f; echo n > n; git stash -u -q; cat f; ls; git stash list; git stash pop -q; cat f n
    git checkout -q -- f; git clean -fq; git status --short; cat f`);
  assert.equal(shown, "1\nf\nstash@{0}: WIP on main: f4119aa one\n2\nn\n1\n");
});

Deno.test(`[${UNDER_TEST}] git: Python and JavaScript get it as a program`, async () => {
  const server = await sharedServer();
  const python = await server.python(`
import subprocess
subprocess.run("git init -q r && cd r && echo 1 > f && git add f", shell=True, check=True)
subprocess.run(["git", "status", "--short"], cwd="r", capture_output=True, text=True).stdout`);
  assert.equal(python.result, "'A  f\\n'");
  const javascript = await server.javascript(
    `require("child_process").execFileSync("git", ["-C", "r", "ls-files"], { encoding: "utf8" })`,
  );
  assert.equal(javascript.result, "'f\\n'");
  assert.equal(
    (await server.javascript("typeof main + typeof GitIndexManager")).result,
    "'undefinedundefined'",
  );
});

Deno.test(`[${UNDER_TEST}] git: what is not here is refused, with git's exit codes`, async () => {
  const server = await sharedServer();
  const ran = async (command: string) => {
    const { exit_code, stdout, stderr } = await shell(server, command);
    return [exit_code, stdout, stderr.split("\n")[0]];
  };
  assert.deepEqual(await ran("git status"), [
    128,
    "",
    "fatal: not a git repository (or any of the parent directories): .git",
  ]);
  await shell(server, "git init -q");
  assert.deepEqual(await ran("git commit --frobnicate"), [129, "", "error: unknown option `frobnicate'"]);
  assert.deepEqual(await ran("git frobnicate"), [
    1,
    "",
    "git: 'frobnicate' is not a git command. See 'git --help'.",
  ]);
  assert.deepEqual(await ran("git clone https://example.com/x.git"), [
    128,
    "",
    "fatal: unable to access 'https://example.com/x.git': there is no network here",
  ]);
});

Deno.test(`[${UNDER_TEST}] git: who has configured nothing commits as the user, and is told of no file of git's`, async () => {
  const server = await sharedServer();
  const script =
    "git init -q; echo 1 > f; git add f; git commit -qm x && git log --format='%an <%ae> %cn %s'";
  const { structured } = await server.call("execute_command", {
    command: script,
    session_id: "first-commit",
  });
  const { stdout, files_changed } = structured as { stdout: string; files_changed: { path: string }[] };
  assert.equal(stdout, "user <user@localhost> user x\n");
  assert.deepEqual(files_changed.map(({ path }) => path), ["f"]);
});

Deno.test(`[${UNDER_TEST}] git: one that takes too long is stopped, and the session goes on`, async () => {
  const server = await sharedServer(patientServer);
  await shell(server, "v=1; git init -q; yes 0123456789 | head -c 32000000 > big", { session_id: "g" });
  const late = await shell(server, "git add big", { session_id: "g", timeout: 0.3 });
  assert.deepEqual([late.status, late.exit_code, late.state], ["timeout", 124, "kept"]);
  assert.equal(
    (await shell(server, "echo $v; git status --short", { session_id: "g" })).stdout,
    "1\n?? big\n",
  );
});

Deno.test(`[${UNDER_TEST}] git: nothing of a repository leads out of the work tree`, async () => {
  const server = await sharedServer();
  await shell(
    server,
    `${ME}git init -q r; cd r; mkdir d; echo 1 > d/f; git add .; git commit -qm one
    rm -r d; mkdir /tmp/outside; echo safe > /tmp/outside/f; ln -s /tmp/outside d`,
  );
  const ran = await shell(
    server,
    "cd r; git reset -q --hard; cat /tmp/outside/f d/f; test -L d || echo directory",
  );
  assert.equal(ran.stdout, "safe\n1\ndirectory\n");
});
