/**
 * Node's `process`, as far as scripts in pipes use it, for the JavaScript that the shell runs. Evaluated inside QuickJS:
 * it uses nothing but its parameters and what the runtime gives to every program.
 */
export function installProcess(argv, env, cwd, file) {
  const { hostCall } = globalThis.require("wasmbox:host");
  const fs = globalThis.require("fs");
  /** Characters that are handed over at a time. */
  const PIECE = 65536;
  const toText = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

  let input;
  /** All of standard input, a string with a character for each byte on its way here. */
  const stdinBytes = () => {
    if (input === undefined) {
      const latin1 = hostCall("process.stdin");
      input = new Uint8Array(latin1.length);
      for (let i = 0; i < latin1.length; i++) input[i] = latin1.charCodeAt(i);
    }
    return input;
  };

  const output = (stream) => ({
    isTTY: false,
    write(data) {
      if (typeof data === "string") {
        for (let at = 0, end = 0; at < data.length; at = end) {
          end = Math.min(at + PIECE, data.length);
          // Not between the two halves of a character.
          if (end < data.length && data.codePointAt(end - 1) > 0xffff) end--;
          hostCall("process.write", { stream, text: data.slice(at, end).toWellFormed() });
        }
      } else {
        for (let at = 0; at < data.length; at += 8192) {
          const latin1 = String.fromCharCode(...data.subarray(at, at + 8192));
          hostCall("process.write", { stream, latin1 });
        }
      }
      return true;
    },
  });

  const listeners = { data: [], end: [] };
  const stdin = {
    fd: 0,
    isTTY: false,
    setEncoding: () => stdin,
    resume: () => stdin,
    on(event, listener) {
      listeners[event]?.push(listener);
      if (event === "end" || event === "data" && listeners.data.length === 1) {
        setTimeout(() => {
          for (const each of listeners.data.splice(0)) {
            if (stdinBytes().length > 0) each(toText(stdinBytes()));
          }
          for (const each of listeners.end.splice(0)) each();
        }, 0);
      }
      return stdin;
    },
    async *[Symbol.asyncIterator]() {
      if (stdinBytes().length > 0) yield toText(stdinBytes());
    },
  };
  stdin.once = stdin.on;

  const readFileSync = fs.readFileSync;
  fs.readFileSync = (name, options) => {
    if (name !== 0 && name !== "/dev/stdin") return readFileSync(name, options);
    const encoding = typeof options === "string" ? options : options?.encoding;
    return encoding ? toText(stdinBytes()) : stdinBytes().slice();
  };

  const process = {
    argv,
    env,
    stdin,
    stdout: output("stdout"),
    stderr: output("stderr"),
    platform: "linux",
    arch: "wasm32",
    pid: 1,
    version: "v0.0.0",
    versions: { quickjs: "ng" },
    exitCode: undefined,
    cwd: () => cwd,
    nextTick: (callback, ...args) => queueMicrotask(() => callback(...args)),
    uptime: () => performance.now() / 1000,
    on: () => process,
    exit(code = process.exitCode ?? 0) {
      hostCall("process.exit", Number(code) & 0xff);
      throw new Error(`process.exit(${code})`);
    },
  };
  Object.defineProperty(globalThis, "process", { value: process, writable: true, configurable: true });

  if (file === null) return;
  // What a script of CommonJS finds around itself.
  const module = { id: ".", filename: file, exports: {}, children: [] };
  const require = globalThis[Symbol.for("wasmbox.modules")].requireFrom(file, module);
  require.main = module;
  const around = {
    require,
    module,
    exports: module.exports,
    __filename: file,
    __dirname: file.slice(0, file.lastIndexOf("/")) || "/",
  };
  for (const [name, value] of Object.entries(around)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}
