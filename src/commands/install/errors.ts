/** Why a client's file was left as it is; the message is for whoever asked. */
export class InstallError extends Error {
  override name = "InstallError";
}
