import { describe, expect, it } from "vitest";
import { parseExpression } from "../../../tools/local/schedule-expression.ts";

const startDate = new Date("2026-01-01T00:00:00Z");

function nexts(expression: string, after: string, count = 1): (string | undefined)[] {
  const occurrences = parseExpression({ expression, startDate, endDate: null });
  const found: (string | undefined)[] = [];
  let at: Date | null = new Date(after);
  for (let i = 0; i < count; i += 1) {
    at = at && occurrences.next(at);
    found.push(at?.toISOString());
  }
  return found;
}

describe("a rate expression", () => {
  it("fires for the first time at its start date, and then at regular intervals", () => {
    expect(nexts("rate(5 minutes)", "2025-12-31T12:00:00Z", 2)).toEqual([
      "2026-01-01T00:00:00.000Z",
      "2026-01-01T00:05:00.000Z",
    ]);
    expect(nexts("rate(1 day)", "2026-01-03T07:00:00Z")).toEqual(["2026-01-04T00:00:00.000Z"]);
  });
});

describe("a cron expression of EventBridge Scheduler", () => {
  it.each([
    ["cron(0,30 9,21 * * ? *)", "2026-03-01T09:10:00Z", "2026-03-01T09:30:00.000Z"],
    ["cron(*/20 * * * ? *)", "2026-03-01T09:40:00Z", "2026-03-01T10:00:00.000Z"],
    ["cron(15 10 ? * MON-FRI *)", "2026-03-07T00:00:00Z", "2026-03-09T10:15:00.000Z"],
    ["cron(0 0 ? * 1 *)", "2026-03-03T00:00:00Z", "2026-03-08T00:00:00.000Z"],
    ["cron(0 0 29 FEB ? *)", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["cron(10/20 5-6 1 1 ? 2027)", "2026-03-01T00:00:00Z", "2027-01-01T05:10:00.000Z"],
  ])(
    "of the form %s fires for the first time after the time %s at the time %s",
    (expression, after, expected) => {
      expect(nexts(expression, after)).toEqual([expected]);
    },
  );

  it("does not fire before the start date of its schedule", () => {
    expect(nexts("cron(0 * * * ? *)", "2025-06-01T00:00:00Z")).toEqual([
      "2026-01-01T00:00:00.000Z",
    ]);
  });
});

describe("a one-time schedule expression, at(…),", () => {
  it("fires only once", () => {
    expect(nexts("at(2026-02-03T04:05:06)", "2026-01-01T00:00:00Z", 2)).toEqual([
      "2026-02-03T04:05:06.000Z",
      undefined,
    ]);
  });
});

it("a schedule expression does not fire after the end date of its schedule", () => {
  const occurrences = parseExpression({
    expression: "rate(1 hour)",
    startDate,
    endDate: new Date("2026-01-01T01:30:00Z"),
  });

  expect(occurrences.next(new Date("2026-01-01T00:30:00Z"))).not.toBeNull();
  expect(occurrences.next(new Date("2026-01-01T01:00:00Z"))).toBeNull();
});

it.each([
  "every(5 minutes)",
  "rate(0 minutes)",
  "rate(5 weeks)",
  "at(tomorrow)",
  "cron(* * * * *)",
  "cron(0 0 * * * *)",
  "cron(60 0 * * ? *)",
  "cron(0 0 L * ? *)",
])("the parser of schedule expressions refuses the expression %s", (expression) => {
  expect(() => parseExpression({ expression, startDate, endDate: null })).toThrow(
    "Invalid Schedule Expression",
  );
});
