import { invalidParam } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { quantity } from "../base/quantity.ts";
import { cronLengthMax } from "./cron-pattern.ts";
import { everFires, smallestClockGap, smallestGapMinutes } from "./calendar.ts";
import { parseFields, type CronFields } from "./fields.ts";
import { parseZoneName } from "./zone.ts";

/** A parsed cron schedule. Only `expression` and `timezone` are stored; `fields` is derived. */
export interface Cron {
  /** Expression as sent by the client, trimmed. */
  readonly expression: string;
  /**
   * IANA name of the zone, in IANA spelling. An alias is kept, and not replaced by the zone to
   * which it refers.
   */
  readonly timezone: string;
  readonly fields: CronFields;
}

/** Minimum time between two due times, in minutes (specification, section "Limits"). */
export const spacingMinutes = limits.watchlistEverySecondsMin / 60;

/**
 * Parses a cron expression and its time zone (specification, section "POST /v1/watchlists", rows
 * `cron` and `timezone`). Checks that the expression has due times, and that they are at least five
 * minutes apart.
 * @throws 400 INVALID_PARAM with `param` = `cron` or `timezone`
 */
export function parseCron(text: string, timezone: string): Cron {
  if (text.length > cronLengthMax) {
    throw invalidParam(
      "cron",
      `'cron' must have at most ${cronLengthMax} characters (got ${text.length}). Shorten it.`,
    );
  }
  const expression = text.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  const fields = parseFields(expression);
  if (!everFires(fields)) {
    throw invalidParam(
      "cron",
      "'cron' never fires: none of its days exists in any of its months. Change the day-of-month or " +
        "the month field.",
    );
  }
  refuseTooOften(fields);
  return { expression, timezone: parseZoneName(timezone), fields };
}

/**
 * Refuses times that are less than five minutes apart.
 * @throws 400 with the smallest gap
 */
function refuseTooOften(fields: CronFields): void {
  // For most expressions, comparing the times of day is enough, and faster than using the calendar.
  if (smallestClockGap(fields) >= spacingMinutes) return;
  const gap = smallestGapMinutes(fields);
  if (gap >= spacingMinutes) return;
  throw invalidParam(
    "cron",
    `'cron' has two times only ${quantity(gap, "minute")} apart (hour and day boundaries are ` +
      `included). Runs must be at least ${spacingMinutes} minutes apart: ` +
      "send fewer minutes, such as */5 or 0,30.",
  );
}
