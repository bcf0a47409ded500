/** `os`: a small machine with Linux. */
import process from "./process.js";
import { SIGNALS } from "./signals.js";

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
const PRIORITIES = {
  PRIORITY_LOW: 19,
  PRIORITY_BELOW_NORMAL: 10,
  PRIORITY_NORMAL: 0,
  PRIORITY_ABOVE_NORMAL: -7,
  PRIORITY_HIGH: -14,
  PRIORITY_HIGHEST: -20,
};
/** What memory the machine is said to have. */
export const MEMORY = 256 * 1024 * 1024;

export const os = {
  EOL: "\n",
  devNull: "/dev/null",
  constants: { signals: SIGNALS, errno: ERRNO, priority: PRIORITIES, UV_UDP_REUSEADDR: 4 },
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
  tmpdir() {
    const { TMPDIR, TMP, TEMP } = process.env;
    return (TMPDIR || TMP || TEMP || "/tmp").replace(/(?<=.)\/$/, "");
  },
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
