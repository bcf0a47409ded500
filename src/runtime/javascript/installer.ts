/** Has npm's packages come that a program imports: the host knows which may. */

import * as z from "zod/mini";
import { HostCallError } from "../../host_calls/bridge.ts";
import { IMPORTS_OPERATION, type ImportsRequest } from "../../host_calls/imports.ts";
import type { RuntimeHost } from "../runtime.ts";
import type { InstallPackage } from "./module_finder.ts";

const arrival = z.object({ installed: z.boolean(), reason: z.optional(z.string()) });

export function installerOf({ hostCall }: RuntimeHost): InstallPackage {
  return (name, versions) => {
    const request: ImportsRequest = {
      kind: "install_npm",
      name,
      ...(versions !== undefined && { versions }),
    };
    try {
      const { json } = hostCall(IMPORTS_OPERATION, new TextEncoder().encode(JSON.stringify(request)));
      return z.parse(arrival, JSON.parse(new TextDecoder().decode(json)));
    } catch (error) {
      // What is no name of a package, or a host that has none: to the program it is not there.
      if (error instanceof HostCallError) return { installed: false };
      throw error;
    }
  };
}
