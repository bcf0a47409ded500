/** Locks of files, which keep programs of a session from each other: those of SQLite, of `flock` and of `fcntl`. */

import assert from "node:assert/strict";
import { UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";

let sessions = 0;
async function run(language: "python" | "bash", code: string) {
  const server = await sharedServer();
  const session_id = `locks_${++sessions}`;
  const outcome = await server.run(language, code, { session_id, timeout: 60 });
  await server.call("destroy_session", { session_id });
  return outcome;
}

Deno.test(`[${UNDER_TEST}] programs that write to one database lose no row of each other`, async () => {
  const { stdout, stderr } = await run(
    "bash",
    `sqlite3 d.db 'create table t(who, i); create table c(n); insert into c values(0)'
cat > writer.py <<'P'
import sqlite3, sys
connection = sqlite3.connect("d.db", timeout=30, isolation_level=None)
for i in range(40):
    connection.execute("begin immediate")
    connection.execute("insert into t values(?, ?)", (sys.argv[1], i))
    connection.execute("update c set n = n + 1")
    connection.execute("commit")
P
for who in a b c; do python3 writer.py $who & done; wait
sqlite3 d.db 'select who, count(*) from t group by who; select n from c; pragma integrity_check'`,
  );
  assert.equal(stdout, "a|40\nb|40\nc|40\n120\nok\n", stderr);
});

Deno.test(`[${UNDER_TEST}] a transaction keeps a process from writing, which is told so, and goes on after it`, async () => {
  const { stdout, error } = await run(
    "python",
    `import sqlite3, subprocess, sys
own = sqlite3.connect("d.db", isolation_level=None)
own.execute("create table t(x)")
own.execute("begin immediate"); own.execute("insert into t values (1)")
child = "import sqlite3; c = sqlite3.connect('d.db', timeout=%s); c.execute('insert into t values (2)'); c.commit(); print('in')"
late = subprocess.run([sys.executable, "-c", child % 0.1], capture_output=True, text=True)
print(late.returncode, late.stderr.splitlines()[-1])
patient = subprocess.Popen([sys.executable, "-c", child % 30], stdout=subprocess.PIPE, text=True)
own.execute("commit")
print(patient.communicate()[0].strip(), own.execute("select x from t order by x").fetchall())`,
  );
  assert.equal(
    stdout,
    "1 sqlite3.OperationalError: database is locked\nin [(1,), (2,)]\n",
    error?.traceback,
  );
});

Deno.test(`[${UNDER_TEST}] flock and lockf exclude others, wait for them, and end with their files and programs`, async () => {
  const { stdout, error } = await run(
    "python",
    `import fcntl, multiprocessing, os, struct, subprocess, sys, threading, time
def refused(lock, *args):
    try: lock(*args)
    except BlockingIOError: return True
    return False
a, b = open("x", "w"), open("x", "w")
fcntl.flock(a, fcntl.LOCK_EX)
print(refused(fcntl.flock, b, fcntl.LOCK_EX | fcntl.LOCK_NB), refused(fcntl.flock, b, fcntl.LOCK_SH | fcntl.LOCK_NB))
fcntl.flock(a, fcntl.LOCK_SH)
print(refused(fcntl.flock, b, fcntl.LOCK_SH | fcntl.LOCK_NB), refused(fcntl.flock, b, fcntl.LOCK_EX | fcntl.LOCK_NB))
a.close(); fcntl.flock(b, fcntl.LOCK_EX | fcntl.LOCK_NB)
fcntl.flock(open("y", "w"), fcntl.LOCK_EX); fcntl.lockf(open("y", "w"), fcntl.LOCK_EX | fcntl.LOCK_NB)
open("n", "w").write("0")
def count(lock):
    for _ in range(10):
        with open("lock", "w") as file:
            lock(file, fcntl.LOCK_EX)
            n = int(open("n").read())
            time.sleep(0.001)
            open("n", "w").write(str(n + 1))
for lock in fcntl.flock, fcntl.lockf:
    workers = [multiprocessing.Process(target=count, args=(lock,)) for _ in range(3)]
    for each in workers: each.start()
    for each in workers: each.join()
threads = [threading.Thread(target=count, args=(fcntl.flock,)) for _ in range(3)]
for each in threads: each.start()
for each in threads: each.join()
print(open("n").read())
code = "import fcntl, sys, time\\nf = open('r', 'r+'); fcntl.lockf(f, fcntl.LOCK_EX, 10, 5)\\nprint('has it', flush=True); time.sleep(60)"
open("r", "w").write("x" * 100)
other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
print(other.stdout.readline().strip())
file = open("r", "r+")
held = fcntl.fcntl(file, fcntl.F_GETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
print(struct.unpack("hhqqi4x", held)[0] == fcntl.F_WRLCK, refused(fcntl.lockf, file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 14))
fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 5); fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 0, 15)
other.kill(); other.wait()
fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
print("free")`,
  );
  const lines = ["True True", "False True", "90", "has it", "True True", "free"];
  assert.equal(stdout, `${lines.join("\n")}\n`, error?.traceback);
});

Deno.test(`[${UNDER_TEST}] who waits for a lock for ever ends with the call's time`, async () => {
  const server = await sharedServer();
  const session_id = `locks_${++sessions}`;
  const code =
    "import fcntl\na, b = open('x', 'w'), open('x', 'w')\nfcntl.flock(a, fcntl.LOCK_EX)\nfcntl.flock(b, fcntl.LOCK_EX)";
  const late = await server.run("python", code, { session_id, timeout: 1 });
  const after = await server.run(
    "python",
    "fcntl.flock(a, fcntl.LOCK_UN); fcntl.flock(b, fcntl.LOCK_EX); 'free'",
    {
      session_id,
    },
  );
  assert.deepEqual([late.status, after.result], ["timeout", "'free'"], after.error?.traceback);
  await server.call("destroy_session", { session_id });
});
