/** The commands that just-bash lacks, or has otherwise. */

import type { Command } from "../just_bash.ts";
import { bcCommand } from "./bc.ts";
import { corrections } from "./corrections.ts";
import { fileCommands } from "./files.ts";
import { flowCommands } from "./flow.ts";
import { gzipCommands } from "./gzip.ts";
import { nodeCommands } from "./node.ts";
import { npmCommands } from "./npm.ts";
import { pipCommands } from "./pip.ts";
import { pythonCommands } from "./python.ts";
import { systemCommands } from "./system.ts";
import { tarCommand } from "./tar.ts";
import type { Tools } from "./tools.ts";
import { xxdCommand } from "./xxd.ts";
import { zipCommands } from "./zip.ts";

export function commandTable(tools: Tools): Command[] {
  return [
    ...pythonCommands(tools),
    ...nodeCommands(tools),
    ...pipCommands(tools),
    ...npmCommands(tools),
    tarCommand(tools),
    ...gzipCommands(tools),
    ...zipCommands(tools),
    ...fileCommands(tools),
    ...flowCommands(tools),
    ...systemCommands(tools),
    bcCommand(tools),
    xxdCommand(tools),
    ...corrections(tools),
  ];
}
