/** `child_process` through the session's shell. */
import { refusing } from "./errors.js";

const WHY = "a session has no processes";
const HOW = 'Shell commands run with execute_command, or execute_code with language="shell"';
export default Object.fromEntries(
  ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"].map((name) => [
    name,
    refusing(name, `${name} of Node's module 'child_process'`, WHY, HOW),
  ]),
);
