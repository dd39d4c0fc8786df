import { invalidParam } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { dayMs } from "./calendar.ts";
import { zoneAliases } from "./zone-aliases.ts";

/** IANA's spelling by the lower-case name; made at the first use. */
let spellings: ReadonlyMap<string, string> | undefined;

/**
 * The IANA spelling of a zone name in any case; an alias such as `US/Eastern` stays what it is.
 * @throws 400 INVALID_PARAM with `param` = `timezone`.
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
      "'timezone' is not an IANA time zone name. Use one such as Europe/Berlin, America/New_York " +
        `or UTC; offsets and abbreviations are not names.${didYouMean(text, [...spellings.values()])}`,
    );
  }
  return name;
}

/** Formatters by zone: making one costs a hundred times what using it does. IANA bounds the map. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timezone: string): Intl.DateTimeFormat {
  const known = formatters.get(timezone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hour: "numeric",
    timeZoneName: "longOffset",
  });
  formatters.set(timezone, made);
  return made;
}

/** How far the zone's clocks are ahead of UTC at an instant, in milliseconds. */
export function offsetAt(timezone: string, at: number): number {
  const parts = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(formatterOf(timezone).format(at));
  if (parts === null) return 0;
  const [, sign, hours, minutes, seconds = 0] = parts;
  const ahead = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === "-" ? -ahead : ahead) * 1_000;
}

/** The offsets that matter to a local day, in milliseconds ahead of UTC. */
export interface DayOffsets {
  readonly before: number;
  readonly after: number;
  /** First instant of `after`; never (Infinity) on a day that no change of the clocks touches. */
  readonly changeAt: number;
}

/** The offsets of a local day, given in days since 1970, and of what its times can be moved to. */
export function offsetsOfDay(timezone: string, day: number): DayOffsets {
  // No zone is a day or more from UTC, so all the instants of the day lie between these two.
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
 * The instant of a local time (given as if it were UTC), as Temporal's `compatible` has it: a local
 * time that a gap skips is moved on by the gap, a repeated one is its first occurrence.
 */
export function instantOf(local: number, { before, after, changeAt }: DayOffsets): number {
  const early = local - before;
  const late = local - after;
  return early >= changeAt && late >= changeAt ? late : early;
}
