/** Host calls that take and give bytes. */
import { hooks, host } from "./runtime.js";

const NO_BYTES = new Uint8Array(0);

/**
 * @param prefix How the operations' names begin.
 * @returns A function of one, its request and bytes. It returns the answer, or bytes where it is those; undefined where the host
 *   has nobody for that.
 */
export const asker = (prefix) => (operation, request = {}, bytes = NO_BYTES) => {
  let answer;
  try {
    answer = host.socketCall(`${prefix}.${operation}`, JSON.stringify(request), hooks.bufferOf(bytes));
  } catch (error) {
    if (error?.name === "HostCallError") return undefined;
    throw error;
  }
  return typeof answer === "string" ? JSON.parse(answer) : new Uint8Array(answer);
};
