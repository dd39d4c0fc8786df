import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { everFires, smallestGapMinutes } from "../../../shared/cron/calendar.ts";
import { parseFields } from "../../../shared/cron/fields.ts";
import { nextOccurrences } from "../../../shared/cron/occurrences.ts";
import { parseCron } from "../../../shared/cron/parse-cron.ts";

const folder = new URL("../../fixtures/cron/", import.meta.url);

/**
 * Returns the rows of a file of samples. The expected values in the rows were compared with cronie.
 */
function rowsOf<Row>(name: string): Row[] {
  const lines = readFileSync(new URL(name, folder), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Row);
}

const isAccepted = (expression: string): boolean => {
  try {
    parseCron(expression, "UTC");
    return true;
  } catch {
    return false;
  }
};

interface ParseRow {
  readonly expr: string;
  readonly api: string;
  /** Absent if the expression is not valid. */
  readonly fields?: Readonly<Record<"minute" | "hour" | "day" | "month" | "weekday", number[]>>;
  readonly fires: boolean;
  readonly min_gap_minutes: number;
}

describe("the API status of a sample cron", () => {
  it.each(rowsOf<ParseRow>("expressions.jsonl"))(
    "for the expression $expr is the status $api",
    (row) => {
      expect(isAccepted(row.expr)).toBe(row.api === "201");
      if (row.fields === undefined) {
        expect(() => parseFields(row.expr)).toThrow(/^'cron' (?:has|must have) /);
        return;
      }
      const fields = parseFields(row.expr);
      expect({
        minute: fields.minutes,
        hour: fields.hours,
        day: fields.days,
        month: fields.months,
        weekday: fields.weekdays,
      }).toEqual(row.fields);
      expect(everFires(fields)).toBe(row.fires);
      expect(smallestGapMinutes(fields)).toBe(row.min_gap_minutes);
    },
  );
});

interface GapRow {
  readonly cron: string;
  readonly min_gap_minutes: number;
  readonly accept: boolean;
}

describe("the shortest interval of a sample cron", () => {
  it.each(rowsOf<GapRow>("intervals.jsonl"))(
    "for the expression $cron is $min_gap_minutes minutes",
    (row) => {
      expect(isAccepted(row.cron)).toBe(row.accept);
      expect(smallestGapMinutes(parseFields(row.cron))).toBe(row.min_gap_minutes);
    },
  );
});

interface ClockRow {
  readonly cron: string;
  readonly timezone: string;
  readonly from_utc: string;
  readonly expect: readonly string[];
}

describe("the due times of a sample cron around a clock change", () => {
  it.each(rowsOf<ClockRow>("clock-changes.jsonl"))(
    "equal those in the fixture (the cron $cron in the zone $timezone after the time $from_utc)",
    (row) => {
      const cron = parseCron(row.cron, row.timezone);
      const due = nextOccurrences(cron, new Date(row.from_utc), row.expect.length);
      expect(due.map((at) => at.toISOString().replace(".000Z", "Z"))).toEqual(row.expect);
    },
  );
});
