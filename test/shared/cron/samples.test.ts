import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { everFires, smallestGapMinutes } from "../../../shared/cron/calendar.ts";
import { parseFields } from "../../../shared/cron/fields.ts";
import { nextOccurrences } from "../../../shared/cron/occurrences.ts";
import { parseCron } from "../../../shared/cron/parse-cron.ts";

const folder = new URL("../../../../shared/data/", import.meta.url);

/** The rows of a file of samples; none, with a line that says so, where the file is absent. */
function rowsOf<Row>(name: string): Row[] {
  const file = new URL(name, folder);
  if (!existsSync(file)) {
    console.log(`Skipped the recorded cron samples: this machine has no ${fileURLToPath(file)}.`);
    return [];
  }
  const lines = readFileSync(file, "utf8").trim().split("\n");
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
  readonly spec: "accept" | "reject";
  readonly api: string;
  readonly fields: Readonly<Record<"minute" | "hour" | "day" | "month" | "weekday", number[]>>;
  readonly fires: boolean;
  readonly min_gap_minutes: number;
}

const parseRows = rowsOf<ParseRow>("cron-parse-sample.jsonl");

describe.skipIf(parseRows.length === 0)("recorded expressions", () => {
  it.each(parseRows)("$expr: $spec, $api", (row) => {
    expect(isAccepted(row.expr)).toBe(row.api === "201");
    if (row.spec === "reject") {
      expect(() => parseFields(row.expr)).toThrow("'cron' has");
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
  });
});

interface GapRow {
  readonly cron: string;
  readonly min_gap_minutes: number;
  readonly accept: boolean;
}

const gapRows = rowsOf<GapRow>("cron-min-interval-sample.jsonl");

describe.skipIf(gapRows.length === 0)("recorded distances", () => {
  it.each(gapRows)("$cron: $min_gap_minutes minutes", (row) => {
    expect(isAccepted(row.cron)).toBe(row.accept);
    expect(smallestGapMinutes(parseFields(row.cron))).toBe(row.min_gap_minutes);
  });
});

interface ClockRow {
  readonly cron: string;
  readonly timezone: string;
  readonly from_utc: string;
  readonly expect: readonly string[];
}

const clockRows = rowsOf<ClockRow>("cron-dst-sample.jsonl");

describe.skipIf(clockRows.length === 0)("recorded changes of the clocks", () => {
  it.each(clockRows)("$cron $timezone after $from_utc", (row) => {
    const cron = parseCron(row.cron, row.timezone);
    const due = nextOccurrences(cron, new Date(row.from_utc), row.expect.length);
    expect(due.map((at) => at.toISOString().replace(".000Z", "Z"))).toEqual(row.expect);
  });
});
