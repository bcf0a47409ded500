/** Local time of programs: the zones that `TZ` names, and their differences from UTC, by the host's ICU. */

// Taken at load time: a locked-down Worker has none on its global object.
const { DateTimeFormat } = Intl;

const DAY = 86_400_000;
/** Times of the language, ms. */
const LAST = 8.64e15;
/** Days whose difference is remembered; with more, all are forgotten. */
const REMEMBERED = 10_000;
/** Zones whose formatters are kept. */
const ZONES = 20;
/** Fuel for a difference that ICU is asked for, and for a name. */
const FUEL_PER_OFFSET = 5000;
const FUEL_PER_NAME = 20_000;
/** Longest name that is looked up. */
const NAME_MAX = 100;
/** `JST-9`, `<+0530>-5:30`: a name, and hours that are to be added to get UTC. */
const POSIX = /^(?:[A-Za-z]{3,}|<[\w+-]{3,}>)([+-]?)(\d{1,2})(?::([0-5]\d))?$/;
const UTC = new Set(["UTC", "Etc/UTC", "Etc/GMT", "GMT"]);

interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly days: Map<number, number | undefined>;
}

export class TimeZones {
  readonly #charge: (fuel: number) => void;
  readonly #zones = new Map<string, Zone>();

  /** @param charge Takes fuel for what is done. */
  constructor(charge: (fuel: number) => void) {
    this.#charge = charge;
  }

  /** The zone that a value of `TZ` names, as `Intl` calls it. @returns "" for UTC; undefined if there is none. */
  named(tz: string): string | undefined {
    const name = tz.replace(/^:/, "").replace(/^\/usr\/share\/zoneinfo\//, "");
    if (name === "") return "";
    if (name.length > NAME_MAX) return undefined;
    const [, sign, hours, minutes = "00"] = POSIX.exec(name) ?? [];
    return this.#known(name) ??
      (hours && this.#known(`${sign === "-" ? "+" : "-"}${hours.padStart(2, "0")}:${minutes}`));
  }

  /** Minutes from local time to UTC at a time in ms; 0 in what is no zone. */
  offset(name: string, time: number): number {
    const zone = this.#zone(name);
    if (!zone) return 0;
    const day = Math.floor(time / DAY);
    let offset = zone.days.get(day);
    if (offset === undefined && !zone.days.has(day)) {
      // One that begins and ends alike is so all day.
      const [first, last] = [this.#ask(zone, day * DAY), this.#ask(zone, (day + 1) * DAY)];
      offset = first === last ? first : undefined;
      if (zone.days.size >= REMEMBERED) zone.days.clear();
      zone.days.set(day, offset);
    }
    return offset ?? this.#ask(zone, time);
  }

  #zone(name: string): Zone | undefined {
    const found = this.#zones.get(name);
    if (found) return found;
    if (!this.#known(name)) return undefined;
    if (this.#zones.size >= ZONES) this.#zones.clear();
    const zone = {
      format: new DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" }),
      days: new Map<number, number | undefined>(),
    };
    this.#zones.set(name, zone);
    return zone;
  }

  #known(name: string): string | undefined {
    this.#charge(FUEL_PER_NAME);
    try {
      const { timeZone } = new DateTimeFormat("en-US", { timeZone: name }).resolvedOptions();
      return UTC.has(timeZone) ? "" : timeZone;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return undefined;
    }
  }

  #ask({ format }: Zone, time: number): number {
    this.#charge(FUEL_PER_OFFSET);
    const parts = format.formatToParts(Math.min(LAST, Math.max(-LAST, time)));
    const text = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(text) ?? [];
    const difference = 60 * Number(hours ?? 0) + Number(minutes ?? 0);
    return sign === "+" ? -difference : difference;
  }
}
