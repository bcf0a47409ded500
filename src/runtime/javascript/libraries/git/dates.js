/** Times as git reads and prints them. Everything here lives in UTC unless a time says otherwise. */
import { fatal } from "./system.js";

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const UNITS = { second: 1, minute: 60, hour: 3600, day: 86400, week: 604800, month: 2629746, year: 31556952 };
const pad = (number, digits = 2) => `${number}`.padStart(digits, "0");

export const now = () => Math.floor(Date.now() / 1000);

const zoneSeconds = (zone) => {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  return sign ? (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60) : 0;
};

/** A time with its zone. @returns undefined if it is none that is known here. */
export function parseDate(text) {
  const trimmed = `${text}`.trim();
  const raw = /^@?(\d+)(?: ([+-]\d{4}))?$/.exec(trimmed);
  // A plain number of few digits is no time.
  if (raw && (trimmed.startsWith("@") || raw[2] || raw[1].length >= 9)) {
    return { time: Number(raw[1]), zone: raw[2] ?? "+0000" };
  }
  if (trimmed === "now") return { time: now(), zone: "+0000" };
  const parts = partsOf(trimmed);
  if (!parts) return undefined;
  const { year, month, day, hour = 0, minute = 0, second = 0, zone = "+0000" } = parts;
  const time = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  return Number.isFinite(time) && month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 25
    ? { time: time - zoneSeconds(zone), zone }
    : undefined;
}

function partsOf(text) {
  const clock = "(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:\\.\\d+)?)?";
  const zoned = "\\s*(Z|UTC|GMT|[+-]\\d{2}:?\\d{2})?";
  const iso = new RegExp(`^(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})(?:[T ]\\s*${clock}${zoned})?$`, "i").exec(
    text,
  );
  if (iso) {
    const [, year, month, day, ...time] = iso;
    return { year: Number(year), month: Number(month), day: Number(day), ...timeOf(time) };
  }
  const mail = new RegExp(
    `^(?:[a-z]+,?\\s+)?(\\d{1,2})\\s+([a-z]{3})[a-z]*\\s+(\\d{4})(?:\\s+${clock}${zoned})?$`,
    "i",
  ).exec(text);
  if (mail) {
    const [, day, month, year, ...time] = mail;
    return { year: Number(year), month: monthOf(month), day: Number(day), ...timeOf(time) };
  }
  const own = new RegExp(
    `^(?:[a-z]{3},?\\s+)?([a-z]{3})[a-z]*\\s+(\\d{1,2})\\s+${clock}\\s+(\\d{4})${zoned}$`,
    "i",
  ).exec(text);
  if (!own) return undefined;
  const [, month, day, hour, minute, second, year, zone] = own;
  return {
    year: Number(year),
    month: monthOf(month),
    day: Number(day),
    ...timeOf([hour, minute, second, zone]),
  };
}
const monthOf = (name) => MONTHS.findIndex((each) => each.toLowerCase() === name.toLowerCase()) + 1;
const timeOf = ([hour, minute, second, zone]) => ({
  ...hour !== undefined && { hour: Number(hour), minute: Number(minute), second: Number(second ?? 0) },
  zone: /^[+-]/.test(zone ?? "") ? zone.replace(":", "") : "+0000",
});

/** A time as `--since` takes it: also "2 days ago" and the like. */
export function parseSince(text) {
  const words =
    /^(?:(\d+)[ .]*|(a|an|one|last)[ .]+)(second|minute|hour|day|week|month|year)s?(?:[ .]+ago)?$/i
      .exec(text.trim());
  if (words) return now() - Number(words[1] ?? 1) * UNITS[words[3].toLowerCase()];
  if (text.trim() === "yesterday") return now() - UNITS.day;
  const found = parseDate(text)?.time;
  if (found === undefined) throw fatal(`'${text}' is no date that is understood here`);
  return found;
}

/** How long ago, in git's words. */
export function relativeDate(time) {
  const ago = now() - time;
  if (ago < 0) return "in the future";
  const plural = (count, unit) => `${count} ${unit}${count === 1 ? "" : "s"} ago`;
  if (ago < 90) return plural(ago, "second");
  const minutes = Math.floor((ago + 30) / 60);
  if (minutes < 90) return plural(minutes, "minute");
  const hours = Math.floor((minutes + 30) / 60);
  if (hours < 36) return plural(hours, "hour");
  const days = Math.floor((hours + 12) / 24);
  if (days < 14) return plural(days, "day");
  if (days < 70) return plural(Math.floor((days + 3) / 7), "week");
  if (days < 365) return plural(Math.floor((days + 15) / 30), "month");
  const months = Math.floor((days * 12 * 2 + 365) / (365 * 2));
  const [years, rest] = [Math.floor(months / 12), months % 12];
  if (days >= 1825) return plural(Math.floor((days + 183) / 365), "year");
  return rest === 0
    ? plural(years, "year")
    : `${years} year${years === 1 ? "" : "s"}, ${rest} month${rest === 1 ? "" : "s"} ago`;
}

const SHAPES = {
  default: ({ weekday, month, day, clock, year, zone }) =>
    `${weekday} ${month} ${day} ${clock} ${year} ${zone}`,
  iso: ({ date, clock, zone }) => `${date} ${clock} ${zone}`,
  "iso-strict": ({ date, clock, zone }) =>
    `${date}T${clock}${zone === "+0000" ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3)}`}`,
  short: ({ date }) => date,
  rfc: ({ weekday, month, day, clock, year, zone }) => `${weekday}, ${day} ${month} ${year} ${clock} ${zone}`,
  raw: ({ time, zone }) => `${time} ${zone}`,
  unix: ({ time }) => `${time}`,
  relative: ({ time }) => relativeDate(time),
};
const OTHER_NAMES = { iso8601: "iso", "iso8601-strict": "iso-strict", rfc2822: "rfc", normal: "default" };

/** @param shape As `--date` takes it. */
export function formatDate({ time, zone }, shape = "default") {
  const local = shape === "local" || shape.endsWith("-local");
  const name = shape === "local" ? "default" : shape.replace(/-local$/, "");
  const shown = local ? "+0000" : zone;
  const at = new Date((time + zoneSeconds(shown)) * 1000);
  const fields = {
    time,
    zone: shown,
    at,
    weekday: DAYS[at.getUTCDay()],
    month: MONTHS[at.getUTCMonth()],
    day: at.getUTCDate(),
    year: at.getUTCFullYear(),
    clock: [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map((part) => pad(part)).join(":"),
    date: `${pad(at.getUTCFullYear(), 4)}-${pad(at.getUTCMonth() + 1)}-${pad(at.getUTCDate())}`,
  };
  if (name.startsWith("format:")) return byPattern(name.slice(7), fields);
  const make = SHAPES[OTHER_NAMES[name] ?? name];
  if (!make) throw fatal(`unknown date format ${shape}`);
  if (local && name === "default") return make(fields).replace(/ \+0000$/, "");
  return make(fields);
}

const PARTS = {
  Y: ({ year }) => pad(year, 4),
  m: ({ at }) => pad(at.getUTCMonth() + 1),
  d: ({ day }) => pad(day),
  e: ({ day }) => `${day}`.padStart(2),
  H: ({ at }) => pad(at.getUTCHours()),
  M: ({ at }) => pad(at.getUTCMinutes()),
  S: ({ at }) => pad(at.getUTCSeconds()),
  y: ({ year }) => pad(year % 100),
  a: ({ weekday }) => weekday,
  b: ({ month }) => month,
  F: ({ date }) => date,
  T: ({ clock }) => clock,
  R: ({ clock }) => clock.slice(0, 5),
  z: ({ zone }) => zone,
  Z: ({ zone }) => zone === "+0000" ? "UTC" : "",
  s: ({ time }) => `${time}`,
  "%": () => "%",
};
const byPattern = (pattern, fields) =>
  pattern.replace(/%(.)/g, (whole, letter) => {
    const make = PARTS[letter];
    if (!make) throw fatal(`${whole} in a format of dates is not known here`);
    return make(fields);
  });
