import { invalidParam } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { dayMs } from "./calendar.ts";
import { zoneAliases } from "./zone-aliases.ts";

/** IANA spelling by lower-case name. Created at the first use. */
let spellings: ReadonlyMap<string, string> | undefined;

/**
 * The IANA spelling of a zone name in any case. An alias such as `US/Eastern` is not resolved.
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

/** Formatters by zone: creating one takes a hundred times as long as using it. Bounded by the IANA names. */
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

/** The zone's offset from UTC at an instant, in milliseconds. */
export function offsetAt(timezone: string, at: number): number {
  const parts = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(formatterOf(timezone).format(at));
  if (parts === null) return 0;
  const [, sign, hours, minutes, seconds = 0] = parts;
  const ahead = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === "-" ? -ahead : ahead) * 1_000;
}

/** The offsets of a local day, in milliseconds from UTC. */
export interface DayOffsets {
  readonly before: number;
  readonly after: number;
  /** First instant of `after`; Infinity if the clocks do not change on this day. */
  readonly changeAt: number;
}

/** The offsets of a local day (days since 1970), including a change that moves its times. */
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
 * The instant of a local time (given as if it were UTC), with the rule `compatible` of Temporal: a
 * time in a gap moves later by the gap, a repeated time is its first occurrence.
 */
export function instantOf(local: number, { before, after, changeAt }: DayOffsets): number {
  const early = local - before;
  const late = local - after;
  return early >= changeAt && late >= changeAt ? late : early;
}
