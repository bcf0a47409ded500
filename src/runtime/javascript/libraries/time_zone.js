/** The zone of the program's local time, as `TZ` names it. */
import { host } from "./runtime.js";

let current = "";
let unknown;
/** What `Intl` calls it; "" for UTC. */
export const timeZone = () => current;

/** @param name A value of `TZ`. @param warn Told once of one that is no zone: local time is UTC then. */
export function setTimeZone(name, warn) {
  const zone = host.setTimeZone(name);
  current = zone ?? host.setTimeZone("");
  if (zone !== undefined || unknown === name) return;
  unknown = name;
  warn(`TZ=${name.slice(0, 100)} is no time zone that is known here: local times are UTC\n`);
}
