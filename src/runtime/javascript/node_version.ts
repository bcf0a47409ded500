/** The version of Node whose interface JavaScript has here; `process.version` says it too. */
export const NODE_VERSION = "20.19.0";
