/** The tools, in the order in which they are listed. */

import type { ToolSettings } from "../../config/tool_settings.ts";
import type { Tool } from "../tool.ts";
import { cancelExecution } from "./cancel_execution.ts";
import { checkpointSession } from "./checkpoint_session.ts";
import { compatTools } from "./compat/mod.ts";
import { createSession } from "./create_session.ts";
import { deleteCheckpoint } from "./delete_checkpoint.ts";
import { deleteFile } from "./delete_file.ts";
import { destroySession } from "./destroy_session.ts";
import { executeCode } from "./execute_code.ts";
import { executeCommand } from "./execute_command.ts";
import { exportSession } from "./export_session.ts";
import { forkSession } from "./fork_session.ts";
import { importSession } from "./import_session.ts";
import { editFile } from "./edit_file.ts";
import { getExecution } from "./get_execution.ts";
import { getWorkspaceInfo } from "./get_workspace_info.ts";
import { listCheckpoints } from "./list_checkpoints.ts";
import { listFiles } from "./list_files.ts";
import { installPackage } from "./install_package.ts";
import { listPackages } from "./list_packages.ts";
import { listRuntimes } from "./list_runtimes.ts";
import { listSessions } from "./list_sessions.ts";
import { moveFile } from "./move_file.ts";
import { readFile } from "./read_file.ts";
import { resetWorkspace } from "./reset_workspace.ts";
import { restoreSession } from "./restore_session.ts";
import { writeFile } from "./write_file.ts";

/** Of the default profile. */
export const TOOLS: readonly Tool[] = [
  executeCode,
  executeCommand,
  listRuntimes,
  createSession,
  listSessions,
  destroySession,
  resetWorkspace,
  getWorkspaceInfo,
  getExecution,
  cancelExecution,
  readFile,
  writeFile,
  editFile,
  listFiles,
  deleteFile,
  moveFile,
  installPackage,
  listPackages,
  checkpointSession,
  listCheckpoints,
  restoreSession,
  forkSession,
  deleteCheckpoint,
  exportSession,
  importSession,
];

const PROFILES: Readonly<Record<ToolSettings["profile"], readonly Tool[]>> = {
  default: TOOLS,
  compat: compatTools(TOOLS),
};

export function toolsOf({ profile }: ToolSettings): readonly Tool[] {
  return PROFILES[profile];
}
