/** Starting, signalling and ending processes. */

import { ends, family, GAINS_NOTHING, javascript, python } from "../attack.ts";

export const PROCESS = family("process", [
  python(
    "subprocess",
    `
    import subprocess
    read = subprocess.run(["/bin/sh", "-c", f"cat {$HOST_FILE}; ls {$HOST_DIRECTORY}; cat /proc/1/environ"], capture_output=True)
    [read.stdout] if read.stdout else []
    `,
    GAINS_NOTHING,
  ),
  python("os.system", `import os\n[] if os.system(f"cat {$HOST_FILE}") else ["read"]`, GAINS_NOTHING),
  python(
    "os.popen",
    `
    import os
    told = os.popen(f"cat {$HOST_FILE}; echo x >{$HOST_FILE}; env").read()
    [line for line in told.splitlines() if not line.startswith(("HOME=", "PWD=", "OLDPWD=", "PATH=", "SHLVL=", "_=", "USER=", "HOSTNAME=", "LANG=", "TZ=", "TERM=", "SHELL=", "LOGNAME=", "BASH"))]
    `,
    GAINS_NOTHING,
  ),
  python(
    "programs that start themselves",
    `
    import subprocess, sys
    with open("again.py", "w") as file: file.write("import subprocess, sys\\nfor _ in range(2): subprocess.run([sys.executable, 'again.py'])")
    subprocess.run([sys.executable, "again.py"], capture_output=True)
    `,
    ends("completed", "failed", "timeout", "out_of_memory"),
    { timeout: 3 },
  ),
  python(
    "fork, exec, spawn and kill",
    `
    import os, posix
    names = ["fork", "forkpty", "vfork", "execv", "execve", "posix_spawn", "posix_spawnp", "ptrace",
        "chroot", "mount", "setuid", "setns", "unshare", "pidfd_open", "memfd_create", "mkfifo", "mknod", "openpty"]
    refused = {"execv", "execve", "posix_spawn", "posix_spawnp"}
    gained = [name for module in (os, posix) for name in names if hasattr(module, name) and (module is posix or name not in refused)]
    for name in refused:
        try: gained.append(getattr(os, name)("/bin/sh", ["sh"], {}))
        except OSError: pass
    for pid in (-1, 0, 1, 2, os.getppid(), os.getpid()):
        for number in (9, 15, 19):
            for kill in (os.kill, os.killpg):
                try: gained.append(kill(pid, number))
                except OSError: pass
    gained
    `,
    GAINS_NOTHING,
  ),
  python(
    "native code",
    `
    import ctypes
    gained = []
    for name in ("cffi", "_posixsubprocess", "_testcapi", "_testinternalcapi", "_xxtestfuzz", "nt", "winreg"):
        try: gained.append(__import__(name))
        except ImportError: pass
    for library in (None, "libc.so.6", "/usr/lib/libc.so", "/dev/null"):
        for function in ("system", "getpid", "dlopen", "malloc"):
            try: gained.append(getattr(ctypes.CDLL(library), function)(0))
            except (OSError, AttributeError): pass
    gained
    `,
    GAINS_NOTHING,
  ),
  python(
    "functions by their number",
    `
    import _ctypes, ctypes
    gained, its_own = [], {number for name, number in vars(_ctypes).items() if name.endswith("_addr")}
    for kind in (ctypes.CFUNCTYPE(ctypes.c_int), ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int)):
        for number in set(range(1, 12_000)) - its_own:
            try: gained.append(kind(number)(*[0] * len(kind._argtypes_)))
            except BaseException as e:
                if "native functions can't be called" not in f"{e}{e.__cause__}": break
    len(gained)
    `,
    { ...GAINS_NOTHING, status: ["completed", "crashed"], result: /^(0|null)$/ },
    { tampers: true },
  ),
  python(
    "all memory, read by ctypes",
    `
    import ctypes
    ctypes.string_at(0, 2**31 - 1)
    `,
    ends("crashed", "failed", "out_of_memory"),
  ),
  python(
    "all memory, overwritten by ctypes",
    `
    import ctypes
    for at in range(0, 2**32, 2**16): ctypes.memset(at, 255, 2**16)
    `,
    ends("crashed", "failed", "timeout", "out_of_memory"),
  ),
  python(
    "a shared library as an extension module",
    `
    import importlib.machinery as m, importlib.util as u, os
    open("evil.cpython-313.so", "wb").write(b"\\x7fELF")
    gained = []
    try: gained.append(__import__("evil"))
    except ImportError: pass
    try: gained.append(m.ExtensionFileLoader("evil", "/app/evil.cpython-313.so").create_module(None))
    except (ImportError, AttributeError): pass
    gained
    `,
    GAINS_NOTHING,
  ),
  python("a signal that kills", `import signal\nsignal.raise_signal(9)`, ends("crashed", "failed")),
  python(
    "every signal, handled",
    `
    import signal
    for number in range(1, 65):
        try: signal.signal(number, lambda *a: None)
        except (OSError, ValueError): pass
    try: signal.raise_signal(signal.SIGTERM)
    except OSError: pass
    try: signal.pthread_kill(1, signal.SIGKILL)
    except OSError: pass
    [name for name in ("sigqueue", "pidfd_send_signal") if hasattr(signal, name)]
    `,
    { ...GAINS_NOTHING, status: ["completed", "crashed"], result: /^(\[\]|null)$/ },
    { tampers: true },
  ),
  python("os.abort", `import os\nos.abort()`, ends("crashed")),
  python("os._exit", `import os\nos._exit(0)`, ends("completed", "crashed")),
  python(
    "os._exit in a finalizer",
    `
    import os
    class Bomb:
        def __del__(self): os._exit(7)
    Bomb()
    0
    `,
    ends("failed", "crashed"),
  ),
  python(
    "os._exit at the end of the interpreter",
    `
    import atexit, os
    atexit.register(os._exit, 9)
    atexit._run_exitfuncs()
    `,
    ends("failed", "crashed"),
  ),
  python(
    "processes and threads without end",
    `
    import sys, threading, multiprocessing
    gained = []
    for _ in range(1000): threading.Thread(target=int, daemon=True).start()
    child = multiprocessing.Process(target=gained.append, args=("here",)); child.start(); child.join()
    # They run in this very interpreter, one after another.
    gained.remove("here")
    gained
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "commands by child_process",
    `
    const { execFileSync, spawnSync } = require("child_process");
    const read = spawnSync("cat " + $HOST_FILE + "; ls " + $HOST_DIRECTORY + "; cat /proc/1/environ", { shell: true });
    const told = execFileSync("env", { encoding: "utf8" }).split("\\n");
    const own = /^(HOME|PWD|OLDPWD|PATH|SHLVL|_|USER|HOSTNAME|LANG|TZ|TERM|SHELL|LOGNAME|BASH\\w*)=|^$/;
    [...told.filter((line) => !own.test(line)), ...read.stdout.length > 0 ? [read.stdout.toString()] : []]
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "programs of Node that start themselves",
    `
    require("fs").writeFileSync("again.js", "const { spawnSync } = require('child_process'); for (let i = 0; i < 2; i++) spawnSync('node', ['again.js']);");
    require("child_process").spawnSync("node", ["again.js"]); 1
    `,
    ends("completed", "failed", "timeout", "out_of_memory"),
    { timeout: 3 },
  ),
  javascript(
    "threads of a program",
    `
    const { Worker } = require("worker_threads");
    const probe = (depth) => \`
      const { Worker, parentPort } = require("worker_threads");
      const found = ["Deno", "WebAssembly", "SharedWorker", "importScripts", "postMessage"].filter((name) => name in globalThis);
      try { found.push(require("fs").readFileSync($HOST_FILE, "utf8")); } catch {}
      parentPort.postMessage(found); \${depth > 0 ? "new Worker(" + JSON.stringify(probe(depth - 1)) + ", { eval: true }).on('message', (m) => parentPort.postMessage(m));" : ""}\`;
    const gained = [];
    const worker = new Worker(probe(2), { eval: true });
    worker.on("message", (found) => gained.push(...found));
    await new Promise((resolve) => worker.on("exit", resolve));
    gained
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "threads that make threads, and post more than anyone reads",
    `
    const { Worker } = require("worker_threads");
    const text = "const { Worker, workerData } = require('worker_threads'); for (;;) new Worker(workerData, { eval: true, workerData });";
    const workers = [];
    try { for (;;) workers.push(new Worker(text, { eval: true, workerData: text })); } catch {}
    const bytes = new Uint8Array(1 << 20);
    for (;;) for (const worker of workers) worker.postMessage(bytes);
    `,
    ends("failed", "timeout", "out_of_memory"),
    { timeout: 3 },
  ),
  javascript(
    "Node's process",
    `
    const gained = [];
    const doors = {
      cluster: ["fork"], repl: ["start"], wasi: ["WASI"], ffi: ["dlopen"], sqlite: ["DatabaseSync"], process: ["binding", "dlopen"] };
    for (const [name, members] of Object.entries(doors)) {
      for (const specifier of [name, "node:" + name]) {
        const found = [];
        try { found.push(await import(specifier)); } catch {}
        try { found.push(require(specifier)); } catch {}
        for (const module of found) {
          for (const value of members.map((member) => (module.default ?? module)[member])) {
            try { gained.push([specifier, value("id")]); } catch {}
            try { gained.push([specifier, new value("./x.js")]); } catch {}
          }
        }
      }
    }
    gained
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "what Node's process and os tell of the machine",
    `
    const { default: process } = await import("node:process");
    const { default: os } = await import("node:os");
    const told = [process.pid, process.ppid, process.env, process.argv, os.hostname(), os.homedir(), os.cpus().length, os.release(), os.networkInterfaces()];
    JSON.stringify(told) === '[1,0,{"HOME":"/app","USER":"user","LOGNAME":"user","SHELL":"/bin/bash","LANG":"C.UTF-8","PATH":"/opt/python/bin:/usr/local/bin:/usr/bin:/bin"},["/usr/bin/node","/app/index.js"],"localhost","/app",1,"6.0.0",{}]' ? [] : told
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "QuickJS's own std and os",
    `
    const gained = [];
    for (const name of ["std", "os", "bjson", "qjs:std", "qjs:os", "qjs:bjson"]) {
      const module = await import(name).catch(() => ({}));
      for (const member of ["exec", "open", "popen", "loadScript", "readdir", "Worker", "read"]) {
        if (member in module) gained.push([name, member]);
      }
      if (name in globalThis) gained.push(name);
    }
    gained
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "exits",
    `[typeof Deno, typeof close, typeof exit, typeof quit, typeof scriptArgs].filter((type) => type !== "undefined")`,
    GAINS_NOTHING,
  ),
]);
