/** Names of a program's own descriptors: `/dev/stdin`, `/dev/fd/N`, `/proc/self/fd/N`. */
const STREAMS = ["/dev/stdin", "/dev/stdout", "/dev/stderr"];

/** The number that a path names; undefined for that of a file. @param place An absolute path. */
export function descriptorNamed(place) {
  const stream = STREAMS.indexOf(place);
  if (stream >= 0) return stream;
  const number = /^\/(?:dev|proc\/self)\/fd\/(\d{1,9})$/.exec(place)?.[1];
  return number === undefined ? undefined : Number(number);
}
