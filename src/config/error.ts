/** A configuration that the server refuses to start with. The message is for the operator: one line per mistake. */
export class ConfigError extends Error {
  override name = "ConfigError";
}
