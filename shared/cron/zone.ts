import { invalidParam } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { formatValue } from "../base/shown-value.ts";
import { dayMs } from "./calendar.ts";
import { zoneAliases } from "./zone-aliases.ts";

/** The names of all time zones in IANA spelling, by lower-case name. Created at the first use. */
let spellings: ReadonlyMap<string, string> | undefined;

/**
 * Converts a zone name in any case to its IANA spelling. Does not resolve an alias such as
 * `US/Eastern`.
 * @throws 400 INVALID_PARAM with `param` = `timezone` for an unknown name, an offset or an
 * abbreviation
 */
export function parseZoneName(text: string): string {
  spellings ??= new Map(
    [...Intl.supportedValuesOf("timeZone"), ...zoneAliases].map((name) => [
      name.toLowerCase(),
      name,
    ]),
  );
  const name = spellings.get(text.toLowerCase());
  if (name === undefined) {
    throw invalidParam(
      "timezone",
      `'timezone' must be an IANA time zone name (got ${formatValue(text)}). Use a name such as ` +
        "Europe/Berlin, America/New_York or UTC, not an offset such as +02:00." +
        didYouMean(text, [...spellings.values()]),
    );
  }
  return name;
}

/**
 * Cached formatters by zone, at most one for each IANA name. Creating a formatter takes 100 times
 * as long as using it.
 */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Returns a formatter that shows the UTC offset of a zone, such as `GMT+02:00`. */
function formatterOf(timezone: string): Intl.DateTimeFormat {
  const known = formatters.get(timezone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hour: "numeric",
    timeZoneName: "longOffset",
  });
  formatters.set(timezone, format);
  return format;
}

/**
 * Returns the offset of a time zone from UTC at an instant, in milliseconds. The offset is positive
 * for zones that are ahead of UTC.
 * @param timezone An IANA name, such as `Europe/Berlin`.
 * @param at The instant, in milliseconds since 1970.
 * @throws RangeError for a zone that the runtime does not know.
 */
export function offsetAt(timezone: string, at: number): number {
  const parts = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(formatterOf(timezone).format(at));
  if (parts === null) return 0;
  const [, sign, hours, minutes, seconds = 0] = parts;
  const ahead = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === "-" ? -ahead : ahead) * 1_000;
}

/** Offsets from UTC before and after a change of the clocks near a local day, in milliseconds. */
export interface DayOffsets {
  readonly before: number;
  readonly after: number;
  /**
   * Time from which `after` applies, in milliseconds since 1970; Infinity if the offset does not
   * change.
   */
  readonly changeAt: number;
}

/**
 * Returns the UTC offsets of a time zone around a local day, in milliseconds: before and after a
 * change of the offset, and the instant of the change, in milliseconds since 1970. Without a
 * change, both offsets are equal, and the instant is Infinity. Pass the result to `instantOf`.
 * @param day local day, in days since 1970-01-01
 */
export function offsetsOfDay(timezone: string, day: number): DayOffsets {
  // The offset of every zone is less than a day, so this range contains all instants of the local
  // day.
  let from = (day - 1) * dayMs;
  let to = (day + 2) * dayMs;
  const before = offsetAt(timezone, from);
  const after = offsetAt(timezone, to);
  if (before === after) return { before, after, changeAt: Infinity };
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if (offsetAt(timezone, middle) === before) from = middle;
    else to = middle;
  }
  return { before, after, changeAt: to };
}

/**
 * Converts a local time to an instant, in milliseconds since 1970. `local` is the local time in
 * milliseconds since 1970, as if it were UTC. The second parameter has the UTC offsets of the local
 * day (see `offsetsOfDay`). Follows the rule `compatible` of Temporal:
 * - a time that the clocks skip moves later by the length of the gap;
 * - for a time that occurs twice, the result is the first occurrence.
 */
export function instantOf(local: number, { before, after, changeAt }: DayOffsets): number {
  const early = local - before;
  const late = local - after;
  return early >= changeAt && late >= changeAt ? late : early;
}
