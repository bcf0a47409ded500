/** Every attack, by family. */

import type { Attack } from "../attack.ts";
import { COMPLEXITY } from "./complexity.ts";
import { DISPLAYS } from "./displays.ts";
import { ENVIRONMENT } from "./environment.ts";
import { EXECUTOR_LOSS } from "./executor_loss.ts";
import { FLOODS } from "./floods.ts";
import { FUEL_EVASION } from "./fuel_evasion.ts";
import { HANDLERS } from "./handlers.ts";
import { HOST_FILES } from "./host_files.ts";
import { HTTP } from "./http.ts";
import { IDS } from "./ids.ts";
import { JAVASCRIPT_GLOBALS } from "./javascript_globals.ts";
import { JAVASCRIPT_VALUES } from "./javascript_values.ts";
import { MEMORY } from "./memory.ts";
import { MESSAGE_FORGERY } from "./message_forgery.ts";
import { NETWORK } from "./network.ts";
import { OTHER_SESSIONS } from "./other_sessions.ts";
import { PATHS } from "./paths.ts";
import { PROCESS } from "./process.ts";
import { PROTOCOL } from "./protocol.ts";
import { PYTHON_INTERPRETER } from "./python_interpreter.ts";
import { RECURSION } from "./recursion.ts";
import { SCIENCE } from "./science.ts";
import { SHELL } from "./shell.ts";
import { TIME } from "./time.ts";
import { VOLUMES } from "./volumes.ts";

export const ATTACKS: readonly Attack[] = [
  ...PATHS,
  ...HOST_FILES,
  ...NETWORK,
  ...PROCESS,
  ...ENVIRONMENT,
  ...JAVASCRIPT_GLOBALS,
  ...JAVASCRIPT_VALUES,
  ...PYTHON_INTERPRETER,
  ...SHELL,
  ...MESSAGE_FORGERY,
  ...FLOODS,
  ...MEMORY,
  ...RECURSION,
  ...COMPLEXITY,
  ...FUEL_EVASION,
  ...TIME,
  ...OTHER_SESSIONS,
  ...IDS,
  ...PROTOCOL,
  ...VOLUMES,
  ...DISPLAYS,
  ...HANDLERS,
  ...SCIENCE,
  ...EXECUTOR_LOSS,
  ...HTTP,
];
