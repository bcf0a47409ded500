/** The numbers of what sessions are asked to do: unique in this server, so that a stop or a checkpoint names just one. */

let last = 0;

export function nextNumber(): number {
  return ++last;
}
