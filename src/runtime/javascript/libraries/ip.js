/** Whether a text is an address. */
const dotted = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
export const isIPv4 = (text) => dotted.test(`${text}`);
export function isIPv6(text) {
  const [address, zone] = `${text}`.split("%");
  if (zone === "") return false;
  const halves = address.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => half === "" ? [] : half.split(":"));
  const last = groups.at(-1);
  const count = groups.length + (last?.includes(".") ? 1 : 0);
  if (last?.includes(".") && !isIPv4(last)) return false;
  if (
    !groups.every((group, at) => /^[\da-f]{1,4}$/i.test(group) || at === groups.length - 1 && isIPv4(group))
  ) return false;
  return halves.length === 2 ? count < 8 : count === 8;
}
export const isIP = (text) => isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0;
