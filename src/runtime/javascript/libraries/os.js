/** `os`: a small machine with Linux. */
import process from "./process.js";

const ERRNO = {
  E2BIG: 7,
  EACCES: 13,
  EBADF: 9,
  EEXIST: 17,
  EINVAL: 22,
  EISDIR: 21,
  ENOENT: 2,
  ENOSPC: 28,
  ENOTDIR: 20,
  EPERM: 1,
  EPIPE: 32,
};
/** Linux's, by their numbers. */
const SIGNALS = Object.fromEntries(
  ("HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ " +
    "VTALRM PROF WINCH IO PWR SYS").split(" ").map((name, at) => [`SIG${name}`, at + 1]),
);
/** What memory the machine is said to have. */
export const MEMORY = 256 * 1024 * 1024;

export const os = {
  EOL: "\n",
  devNull: "/dev/null",
  constants: { signals: SIGNALS, errno: ERRNO, priority: {}, UV_UDP_REUSEADDR: 4 },
  arch: () => "wasm32",
  availableParallelism: () => 1,
  cpus: () => [{ model: "WebAssembly", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
  endianness: () => "LE",
  freemem: () => MEMORY / 2,
  totalmem: () => MEMORY,
  getPriority: () => 0,
  setPriority() {},
  homedir: () => process.env.HOME ?? "/app",
  hostname: () => "localhost",
  loadavg: () => [0, 0, 0],
  machine: () => "wasm32",
  networkInterfaces: () => ({}),
  platform: () => "linux",
  release: () => "6.0.0",
  tmpdir: () => (process.env.TMPDIR ?? "/tmp").replace(/(?<=.)\/+$/, ""),
  type: () => "Linux",
  uptime: () => process.uptime(),
  userInfo: () => ({
    uid: 0,
    gid: 0,
    username: process.env.USER ?? "app",
    homedir: os.homedir(),
    shell: "/bin/sh",
  }),
  version: () => "#1 wasmbox",
};
