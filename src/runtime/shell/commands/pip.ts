import type { Command } from "../just_bash.ts";
import { command } from "./tools.ts";

/** `pip`, until packages can be installed. */
export function pipCommands(): Command[] {
  return ["pip", "pip3"].map((name) =>
    command(name, () => ({
      stderr: `${name}: packages are installed by the tool install_package, not from the shell\n`,
      exitCode: 1,
    }))
  );
}
