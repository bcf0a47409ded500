/** A configuration that the server does not start with. The message is for the operator: a line for each problem. */
export class ConfigError extends Error {
  override name = "ConfigError";
}
