import { describe, expect, it } from "vitest";
import {
  countOccurrences,
  nextOccurrence,
  nextOccurrences,
} from "../../../shared/cron/occurrences.ts";
import { parseCron } from "../../../shared/cron/parse-cron.ts";

interface Case {
  readonly cron: string;
  readonly zone: string;
  readonly after: string;
  readonly due: readonly string[];
}

const shortIso = (at: Date): string => at.toISOString().replace(":00.000Z", "Z");

function dueOf({ cron, zone, after, due }: Case): string[] {
  const cutShort = new Date(after.replace(/Z$/, ":00Z"));
  return nextOccurrences(parseCron(cron, zone), cutShort, due.length).map(shortIso);
}

const c = (where: string, after: string, due: readonly string[]): Case => {
  const [cron = "", zone = ""] = where.split(" | ");
  return { cron, zone, after, due };
};

describe("the next due times of a cron", () => {
  it.each([
    c("0 9 * * * | UTC", "2026-11-20T09:00Z", ["2026-11-21T09:00Z", "2026-11-22T09:00Z"]),
    c("0 0 29 2 * | UTC", "2026-01-01T00:00Z", ["2028-02-29T00:00Z", "2032-02-29T00:00Z"]),
    c("0 0 29 2 * | UTC", "2096-03-01T00:00Z", ["2104-02-29T00:00Z"]),
    c("0 0 31 * * | UTC", "2026-01-31T00:00Z", ["2026-03-31T00:00Z", "2026-05-31T00:00Z"]),
    c("0 0 * * 7 | UTC", "2026-11-20T00:00Z", ["2026-11-22T00:00Z", "2026-11-29T00:00Z"]),
    c("0 0 * * MON | UTC", "1969-12-28T00:00Z", ["1969-12-29T00:00Z", "1970-01-05T00:00Z"]),
    c("45 5 * * * | Asia/Kathmandu", "2026-11-20T00:00Z", ["2026-11-21T00:00Z"]),
    c("*/5 * * * * | UTC", "2026-11-20T23:55Z", ["2026-11-21T00:00Z", "2026-11-21T00:05Z"]),
    c("0 12 * * * | Africa/Monrovia", "1960-01-01T00:00Z", ["1960-01-01T12:44:30.000Z"]),
  ])(
    "match the fields of the cron (the cron $cron in the zone $zone after the time $after)",
    (given) => {
      expect(dueOf(given)).toEqual(given.due);
    },
  );

  it.each([
    ["0 0 13 * FRI", ["2026-11-13", "2026-11-20", "2026-11-27", "2026-12-04", "2026-12-11"]],
    // A star with a step restricts a day field, so a day that matches either field is due.
    ["0 0 */21 * SUN", ["2026-11-15", "2026-11-22", "2026-11-29", "2026-12-01", "2026-12-06"]],
    ["0 0 1 * */3", ["2026-11-14", "2026-11-15", "2026-11-18", "2026-11-21", "2026-11-22"]],
    ["0 0 */21 * *", ["2026-11-22", "2026-12-01", "2026-12-22", "2027-01-01", "2027-01-22"]],
    ["0 0 * * */3", ["2026-11-14", "2026-11-15", "2026-11-18", "2026-11-21", "2026-11-22"]],
  ])(
    "are on each day that matches at least one of the restricted day fields: %s",
    (expression, days) => {
      const after = new Date("2026-11-12T12:00:00Z");
      const due = nextOccurrences(parseCron(expression, "UTC"), after, days.length);
      expect(due.map((at) => at.toISOString().slice(0, 10))).toEqual(days);
    },
  );
});

describe("a cron's local time that a clock change skips", () => {
  it.each([
    c("30 2 * * * | America/New_York", "2026-03-07T12:00Z", [
      "2026-03-08T07:30Z",
      "2026-03-09T06:30Z",
    ]),
    c("15 2 * * * | Australia/Lord_Howe", "2026-10-03T00:00Z", [
      "2026-10-03T15:45Z",
      "2026-10-04T15:15Z",
    ]),
    c("0 1 * * * | Antarctica/Troll", "2027-03-27T12:00Z", [
      "2027-03-28T01:00Z",
      "2027-03-28T23:00Z",
    ]),
    c("30 2 * * * | Africa/Casablanca", "2026-03-21T12:00Z", [
      "2026-03-22T02:30Z",
      "2026-03-23T01:30Z",
    ]),
    c("0 0 * * * | America/Sao_Paulo", "2018-11-03T12:00Z", [
      "2018-11-04T03:00Z",
      "2018-11-05T02:00Z",
    ]),
    c("30 0 4 11 * | America/Sao_Paulo", "2018-11-03T12:00Z", ["2018-11-04T03:30Z"]),
    c("30 22 * * * | Pacific/Easter", "2026-09-05T12:00Z", [
      "2026-09-06T04:30Z",
      "2026-09-07T03:30Z",
    ]),
    c("0 0 * * * | America/Havana", "2027-03-13T12:00Z", [
      "2027-03-14T05:00Z",
      "2027-03-15T04:00Z",
    ]),
    c("45 23 * * * | Asia/Pyongyang", "2018-05-04T00:00Z", [
      "2018-05-04T15:15Z",
      "2018-05-05T14:45Z",
    ]),
  ])(
    "causes one run, delayed by the length of the gap (the cron $cron in the zone $zone after the time $after)",
    (given) => {
      expect(dueOf(given)).toEqual(given.due);
    },
  );

  it("does not affect the runs on other days, which are at the usual local time", () => {
    const given = c("45 23 * * * | Pacific/Easter", "2026-09-04T12:00Z", [
      "2026-09-05T05:45Z",
      "2026-09-06T04:45Z",
      "2026-09-07T04:45Z",
    ]);
    expect(dueOf(given)).toEqual(given.due);
  });

  it("causes a run that is sorted by time among the next day's runs if the delay ends after midnight", () => {
    const given = c("0,45 0,23 * * * | Asia/Pyongyang", "2018-05-04T14:00Z", [
      "2018-05-04T14:30Z",
      "2018-05-04T15:00Z",
      "2018-05-04T15:15Z",
      "2018-05-04T15:45Z",
    ]);
    expect(dueOf(given)).toEqual(given.due);
    const asked = { ...given, after: "2018-05-04T15:05Z", due: given.due.slice(2) };
    expect(dueOf(asked)).toEqual(asked.due);
  });

  it("causes no second run if another due time of the cron equals the delayed due time", () => {
    const given = c("*/30 * * * * | America/New_York", "2026-03-08T06:00Z", [
      "2026-03-08T06:30Z",
      "2026-03-08T07:00Z",
      "2026-03-08T07:30Z",
      "2026-03-08T08:00Z",
    ]);
    expect(dueOf(given)).toEqual(given.due);
  });

  it("shares one run with the same local time on the next day if the clock change skips a whole day", () => {
    const daily = c("0 9 * * * | Pacific/Apia", "2011-12-29T00:00Z", [
      "2011-12-29T19:00Z",
      "2011-12-30T19:00Z",
      "2011-12-31T19:00Z",
    ]);
    expect(dueOf(daily)).toEqual(daily.due);
    const skipped = c("0 9 30 12 * | Pacific/Apia", "2011-12-30T12:00Z", [
      "2011-12-30T19:00Z",
      "2012-12-29T19:00Z",
    ]);
    expect(dueOf(skipped)).toEqual(skipped.due);
  });
});

describe("a cron's local time that a clock change repeats", () => {
  it.each([
    c("30 1 * * * | America/New_York", "2026-10-31T12:00Z", [
      "2026-11-01T05:30Z",
      "2026-11-02T06:30Z",
    ]),
    c("*/15 * * * * | America/New_York", "2026-11-01T05:30Z", [
      "2026-11-01T05:45Z",
      "2026-11-01T07:00Z",
    ]),
    c("45 1 * * * | Australia/Lord_Howe", "2027-04-03T00:00Z", [
      "2027-04-03T14:45Z",
      "2027-04-04T15:15Z",
    ]),
    c("30 2 * * * | Africa/Casablanca", "2026-02-14T12:00Z", [
      "2026-02-15T01:30Z",
      "2026-02-16T02:30Z",
    ]),
    c("30 23 * * * | America/Sao_Paulo", "2018-02-17T12:00Z", [
      "2018-02-18T01:30Z",
      "2018-02-19T02:30Z",
    ]),
  ])(
    "causes one run, at the first occurrence of this time (the cron $cron in the zone $zone after the time $after)",
    (given) => {
      expect(dueOf(given)).toEqual(given.due);
    },
  );

  it("causes no run at its second occurrence, even if the calculation starts just before this occurrence", () => {
    const given = c("*/15 * * * * | America/New_York", "2026-11-01T06:20Z", ["2026-11-01T07:00Z"]);
    expect(dueOf(given)).toEqual(given.due);
  });
});

describe("two cron times that a clock change brings closer than five minutes", () => {
  it.each([
    // 02:28 becomes 02:58, which is two minutes before 03:00.
    c("0,28,50 * * * * | Australia/Lord_Howe", "2026-10-03T15:30Z", [
      "2026-10-03T15:50Z",
      "2026-10-03T15:58Z",
      "2026-10-03T16:28Z",
    ]),
    // 02:58 becomes 03:58, which is two minutes before 04:00.
    c("0,58 2,4 * * * | America/New_York", "2026-03-08T06:00Z", [
      "2026-03-08T07:00Z",
      "2026-03-08T07:58Z",
      "2026-03-08T08:58Z",
    ]),
    // The hour after midnight is skipped, so 23:58 and 01:00 are two minutes apart.
    c("0,58 1,23 * * * | America/Sao_Paulo", "2018-11-04T02:30Z", [
      "2018-11-04T02:58Z",
      "2018-11-04T03:58Z",
    ]),
  ])(
    "cause one run, at the earlier time (the cron $cron in the zone $zone after the time $after)",
    (given) => {
      expect(dueOf(given)).toEqual(given.due);
    },
  );

  it("cause no run at the later time if the calculation starts after the earlier time", () => {
    const cron = parseCron("0,58 2,4 * * *", "America/New_York");
    for (const minute of [57, 58, 59]) {
      const after = new Date(Date.UTC(2026, 2, 8, 7, minute, 30));
      const due = minute === 57 ? "2026-03-08T07:58Z" : "2026-03-08T08:58Z";
      expect(shortIso(nextOccurrence(cron, after))).toBe(due);
    }
  });
});

describe("the next occurrence of a cron", () => {
  const cron = parseCron("0 9 * * *", "UTC");

  it("is strictly after the given instant, to the millisecond", () => {
    const due = new Date("2026-11-20T09:00:00.000Z");
    expect(nextOccurrence(cron, new Date(due.getTime() - 1))).toEqual(due);
    expect(shortIso(nextOccurrence(cron, due))).toBe("2026-11-21T09:00Z");
  });

  it("can be computed until the last day that Date can represent", () => {
    const yearly = parseCron("0 0 29 2 *", "Europe/Berlin");
    expect(nextOccurrence(yearly, new Date("0001-01-01T00:00:00Z")).getUTCFullYear()).toBe(4);
    expect(nextOccurrence(yearly, new Date("9999-12-31T00:00:00Z")).getUTCFullYear()).toBe(10_000);
    expect(nextOccurrences(yearly, new Date(8.64e15 - 1), 5)).toEqual([]);
    expect(() => nextOccurrence(yearly, new Date(8.64e15 - 1))).toThrow("Invariant broken");
  });

  it("is an empty list if a count of 0 is requested", () => {
    expect(nextOccurrences(cron, new Date(0), 0)).toEqual([]);
  });
});

describe("the number of a cron's due times in a period", () => {
  const daily = parseCron("0 9 * * *", "UTC");
  const count = (after: string, until: string): number =>
    countOccurrences(daily, new Date(after), new Date(until));

  it.each([
    ["excludes a due time at its start", "2026-11-20T09:00:00Z", "2026-11-21T08:59:00Z", 0],
    ["includes a due time after its start", "2026-11-20T08:59:00Z", "2026-11-21T08:59:00Z", 1],
    ["includes a due time at its end", "2026-11-20T09:00:00Z", "2026-11-21T09:00:00Z", 1],
    ["excludes a due time after its end", "2026-11-20T09:00:00Z", "2026-11-22T08:59:59Z", 1],
    ["counts each due time once", "2026-11-20T00:00:00Z", "2026-11-30T00:00:00Z", 10],
  ])("follows the rule that it %s", (...row) => {
    const [, after, until, expected] = row;
    expect(count(after, until)).toBe(expected);
  });
});
