import { describe, expect, it } from "vitest";
import { isServiceError } from "../../../shared/base/errors.ts";
import { smallestGapMinutes } from "../../../shared/cron/calendar.ts";
import { nextOccurrence } from "../../../shared/cron/occurrences.ts";
import { parseCron } from "../../../shared/cron/parse-cron.ts";
import { zoneAliases } from "../../../shared/cron/zone-aliases.ts";

const numbers = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

function refusalOf(expression: string, timezone = "UTC"): { param: unknown; message: string } {
  try {
    parseCron(expression, timezone);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    expect(error).toMatchObject({ code: "INVALID_PARAM", status: 400 });
    return { param: error.details.param, message: error.message };
  }
  throw new Error(`'${expression}' was accepted`);
}

describe("the fields of a cron", () => {
  it("can be stars, values, lists, ranges, steps and names", () => {
    expect(parseCron("*/15 0-12/6,20 1,15-17 JAN,MAR-may/2,12 MON-FRI", "UTC").fields).toEqual({
      minutes: [0, 15, 30, 45],
      hours: [0, 6, 12, 20],
      days: [1, 15, 16, 17],
      months: [1, 3, 5, 12],
      weekdays: [1, 2, 3, 4, 5],
      daysRestricted: true,
      weekdaysRestricted: true,
    });
  });

  it("contain all valid values if the field is a star", () => {
    expect(parseCron("0 * * * *", "UTC").fields).toEqual({
      minutes: [0],
      hours: numbers(0, 23),
      days: numbers(1, 31),
      months: numbers(1, 12),
      weekdays: numbers(0, 6),
      daysRestricted: false,
      weekdaysRestricted: false,
    });
  });

  it.each([
    ["0", [0]],
    ["7", [0]],
    ["0,7", [0]],
    ["SUN", [0]],
    ["sat", [6]],
    ["5-7", [0, 5, 6]],
    ["SUN-7", numbers(0, 6)],
    ["SUN-TUE", [0, 1, 2]],
    ["MON-5", numbers(1, 5)],
    ["1-7/6", [0, 1]],
    ["*/5", [0, 5]],
    ["*/7", [0]],
    ["6-6", [6]],
    ["2,WED,FRI,2", [2, 3, 5]],
    ["SUN-SAT/6,1", [0, 1, 6]],
  ])('with the day-of-week text "%s" contain the values %j', (field, weekdays) => {
    expect(parseCron(`0 0 * * ${field}`, "UTC").fields.weekdays).toEqual(weekdays);
  });

  it.each([
    ["00,05", [0, 5]],
    ["0-30/10", [0, 10, 20, 30]],
    ["10-10/36,28", [10, 28]],
    ["4-21/51", [4]],
    ["*/43", [0, 43]],
    ["*/100", [0]],
    ["7-7", [7]],
    ["30,0,30", [0, 30]],
  ])('with the minute text "%s" contain the values %j', (field, minutes) => {
    expect(parseCron(`${field} 0 * * *`, "UTC").fields.minutes).toEqual(minutes);
  });

  it("are marked as restricted unless the field is a single star", () => {
    const { daysRestricted, weekdaysRestricted } = parseCron("0 0 */1 * *,1", "UTC").fields;
    expect([daysRestricted, weekdaysRestricted]).toEqual([true, true]);
  });
});

describe("a cron macro", () => {
  it.each([
    ["@hourly", "0 * * * *"],
    ["@daily", "0 0 * * *"],
    ["@weekly", "0 0 * * 0"],
    ["@monthly", "0 0 1 * *"],
    ["@yearly", "0 0 1 1 *"],
    ["@YEARLY", "0 0 1 1 *"],
  ])("named %s is equivalent to the cron %s", (macro, expression) => {
    expect(parseCron(macro, "UTC").fields).toEqual(parseCron(expression, "UTC").fields);
  });

  it.each(["@", "@annually", "@midnight", "@reboot", "@every 5m", "@yearly !", "@@daily", "@dail"])(
    "named %s is refused with the list of the five valid macros",
    (macro) => {
      expect(refusalOf(macro)).toMatchObject({
        param: "cron",
        message: expect.stringContaining(
          `'cron' has an unknown macro (got ${JSON.stringify(macro)}). ` +
            "The macros are @hourly, @daily, @weekly, @monthly, @yearly.",
        ),
      });
    },
  );
});

describe("a mistyped name in a cron request", () => {
  it.each([
    ["@dialy", "UTC", "Did you mean '@daily'?"],
    ["@daily", "Europe/Berln", "Did you mean 'Europe/Berlin'?"],
  ])(
    "is refused, and the error suggests the nearest name: cron %s, time zone %s",
    (expression, zone, suggestion) => {
      expect(() => parseCron(expression, zone)).toThrow(suggestion);
    },
  );
});

describe("the stored expression of a cron", () => {
  it("is the text of the request, trimmed of spaces at both ends", () => {
    expect(parseCron(" \t0  0\t* * mon\r\n", "UTC")).toMatchObject({ expression: "0  0\t* * mon" });
    expect(parseCron(" @Daily ", "UTC")).toMatchObject({ expression: "@Daily" });
  });

  it("is parsed to the same fields as the text of the request", () => {
    const cron = parseCron(" */20 8-18 * * MON-FRI ", "europe/berlin");
    expect(parseCron(cron.expression, cron.timezone)).toEqual(cron);
    expect(JSON.parse(JSON.stringify(cron))).toEqual(cron);
  });
});

describe("an invalid cron", () => {
  it.each([
    ["60 * * * *", "'60' in its minute field. 60 is out of range. The field accepts 0 to 59"],
    ["0 24 * * *", "'24' in its hour field. 24 is out of range. The field accepts 0 to 23"],
    ["0 0 0 * *", "'0' in its day-of-month field. 0 is out of range. The field accepts 1 to 31"],
    ["0 0 1 13 *", "month field. 13 is out of range. The field accepts 1 to 12 or JAN to DEC"],
    ["0 0 * * 8", "'8' in its day-of-week field. 8 is out of range. The field accepts 0 to 7"],
    ["0 0 ? * *", "day-of-month field. '?' is not supported. Send '*' instead."],
    ["0 0 L * *", "'L' and 'W' are not supported."],
    ["0 0 LW * *", "'L' and 'W' are not supported."],
    ["0 0 15W * *", "'L' and 'W' are not supported."],
    ["0 0 L-3 * *", "'L' and 'W' are not supported."],
    ["0 0 * * 5L", "'L' and 'W' are not supported."],
    ["0 0 15LW * *", "'15LW' in its day-of-month field. 'L' and 'W' are not supported."],
    ["0 0 15LX * *", "'15LX' in its day-of-month field. Its syntax is invalid."],
    ["0 0 X15L * *", "'X15L' in its day-of-month field. Its syntax is invalid."],
    ["0 0 LX * *", "'LX' is not a value of this field."],
    ["0 0 XL * *", "'XL' is not a value of this field."],
    ["0 0 * * 1#2", "'#' is not supported."],
    ["5/15 * * * *", "The step must follow '*' or a range, as in 5-59/15."],
    ["0 22-5 * * *", "The range must not end before it begins. Send 22-23,0-5 instead."],
    ["0 0 * * FRI-SUN", "The range must not end before it begins. Send FRI-7,0-SUN instead."],
    ["0 0 * DEC-FEB *", "The range must not end before it begins. Send DEC-12,1-FEB instead."],
    ["*/0 * * * *", "The step must be at least 1, as in */5."],
    ["1,,2 * * * *", "A list must not have an empty element."],
    [",1 * * * *", "must not have an empty element."],
    ["1, * * * *", "must not have an empty element."],
    ["0 MON * * *", "'MON' is not a value of this field."],
    ["0 0 * * JAN", "'JAN' is not a value of this field."],
    ["0 0 * * MONDAY", "'MONDAY' is not a value of this field."],
    ["*-5 * * * *", "The range must begin with a value, not with '*', as in 1-5."],
  ])("is refused with the reason in the error: %s", (expression, reason) => {
    const { param, message } = refusalOf(expression);
    expect(param).toBe("cron");
    expect(message).toContain(reason);
  });

  it.each([
    "14--28 * * * *",
    "-1 * * * *",
    "1- * * * *",
    "+5 * * * *",
    "1e1 * * * *",
    "1.5 * * * *",
    "0x10 * * * *",
    "1_0 * * * *",
    "*/2/2 * * * *",
    "*/-5 * * * *",
    "*// * * * *",
    "*/ * * * *",
    "/5 * * * *",
    "** * * * *",
    "*5 * * * *",
    "*: * * * *",
    "0 */11* * * *",
    "1-2-3 * * * *",
    "¹-60 * * * *",
    "１５ * * * *",
    "٣ * * * *",
    "H * * * *",
    "~ * * * *",
    "0 0 1-MON * *",
  ])("is refused for its syntax: %s", (expression) => {
    expect(refusalOf(expression)).toMatchObject({ param: "cron" });
  });

  it.each([
    ["", "0 fields"],
    ["   ", "0 fields"],
    ["0", "1 field"],
    ["* *  * 10", "4 fields"],
    ["52 * 23 * ", "4 fields"],
    ["0 0 0 * * *", "6 fields"],
    ["0 0 * * * 2027 *", "7 fields"],
    ["0 0 1 * *\n0 0 1 * *", "9 fields"],
    ["0\u00a00\u00a0*\u00a0*\u00a0*", "1 field"],
  ])("is refused if it does not have five fields: the text %j has %s", (expression, count) => {
    expect(refusalOf(expression).message).toContain(`'cron' must have 5 fields (got ${count})`);
  });

  it("is refused if a line break is between two fields", () => {
    expect(refusalOf("0\n0 * * * *").message).toContain("minute field");
  });

  it("is refused if it has more than 256 characters", () => {
    const longest = `${"0,".repeat(123)}00 * * * *`;
    expect(longest).toHaveLength(256);
    expect(parseCron(longest, "UTC").fields.minutes).toEqual([0]);
    expect(refusalOf(`0${longest}`).message).toContain("at most 256 characters (got 257)");
    expect(refusalOf(" ".repeat(2_000_000)).message).toContain("at most 256 characters");
  });
});

describe("a cron", () => {
  it.each(["0 0 30 2 *", "0 0 30-31 FEB *", "0 0 31 4,6,9,11 *", "0 0 31 2-6/2 *"])(
    "is refused if its days exist in none of its months (the cron: %s)",
    (expression) => {
      expect(refusalOf(expression).message).toContain("'cron' never fires");
    },
  );

  it.each(["0 0 29 2 *", "0 0 30 2 MON", "0 0 31 * *", "0 0 30,31 2,4 *", "0 0 31 2,4,12 *"])(
    "is accepted if one of its days exists in one of its months (the cron: %s)",
    (expression) => {
      expect(parseCron(expression, "UTC").expression).toBe(expression);
    },
  );
});

describe("the smallest gap between two runs of a cron", () => {
  it.each([
    ["*/5 * * * *", 5],
    ["*/6 * * * *", 6],
    ["*/9 * * * *", 6],
    ["*/10 * * * *", 10],
    ["*/11 * * * *", 5],
    ["*/13 * * * *", 8],
    ["52,57 * 22-22 * *", 5],
    ["0 0 1 * *", 28 * 1_440],
    ["4-21/51 */15 7-17/14,8 */10 *", 540],
    // 23:58 and 00:00 are two minutes apart, but the expression never fires on two successive days.
    ["0,58 0,23 1 * *", 58],
    ["0,58 0,23 31 12 *", 58],
    ["0,58 0,23 1,31 4,6 *", 58],
    ["0,58 0,23 * * MON,WED,FRI", 58],
  ])("is accepted for the expression %s, with a gap of %d minutes", (expression, gap) => {
    expect(smallestGapMinutes(parseCron(expression, "UTC").fields)).toBe(gap);
  });

  it("is accepted if the gap is exactly five minutes on the days that the cron matches", () => {
    // 23:58 and 00:00 are two minutes apart, but the expression fires only on the first day of a
    // month.
    const { fields } = parseCron("0,5,58 0,23 1 * *", "UTC");
    expect(smallestGapMinutes(fields)).toBe(5);
  });

  it.each([
    ["* * * * *", "1 minute apart"],
    ["*/4 * * * *", "4 minutes apart"],
    ["*/7 * * * *", "4 minutes apart"],
    ["*/8 * * * *", "4 minutes apart"],
    ["*/59 * * * *", "1 minute apart"],
    ["0,58 0-1 * * *", "2 minutes apart"],
    ["3,6,31 0 17 2 *", "3 minutes apart"],
    ["0,58 0,23 * * *", "2 minutes apart"],
    ["0,58 0,23 1,31 * *", "2 minutes apart"],
    ["0,58 0,23 1,31 1,12 *", "2 minutes apart"],
    ["0,58 0,23 29 2 SUN", "2 minutes apart"],
    ["0,58 0,23 1,28 2,3 MON", "2 minutes apart"],
    ["0,58 0,23 * 2 SAT,SUN", "2 minutes apart"],
  ])("is refused for the expression %s, whose runs are %s", (expression, gap) => {
    expect(refusalOf(expression).message).toContain(gap);
  });
});

describe("the time zone of a cron", () => {
  it.each([
    ["UTC", "UTC"],
    ["utc", "UTC"],
    ["europe/berlin", "Europe/Berlin"],
    ["US/Eastern", "US/Eastern"],
    ["us/eastern", "US/Eastern"],
    ["Asia/Kolkata", "Asia/Kolkata"],
    ["Asia/Calcutta", "Asia/Calcutta"],
    ["ASIA/KATHMANDU", "Asia/Kathmandu"],
    ["America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
    ["america/port-au-prince", "America/Port-au-Prince"],
    ["Etc/GMT+5", "Etc/GMT+5"],
    ["EST5EDT", "EST5EDT"],
  ])("is stored in its canonical form: sent as %s, it is stored as %s", (text, timezone) => {
    expect(parseCron("@daily", text).timezone).toBe(timezone);
  });

  it("may be any IANA name, and the service can compute a due time in each of these zones", () => {
    const names = [...Intl.supportedValuesOf("timeZone"), ...zoneAliases];
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) {
      const cron = parseCron("@daily", name.toUpperCase());
      expect(cron.timezone).toBe(name);
      expect(nextOccurrence(cron, new Date(0)).getTime()).toBeLessThan(3 * 86_400_000);
    }
  });

  it.each([
    "",
    " UTC",
    "Europe/Berlin ",
    "Mars/Olympus",
    "+05:30",
    "-0100",
    "UTC+1",
    "GMT+5",
    "PST",
    "JST",
    "SystemV/PST8",
    "localtime",
    "constructor",
    "Europe/Berlin\u0000",
    "x".repeat(300),
  ])("is refused if the request contains the text %j", (timezone) => {
    const { param, message } = refusalOf("@daily", timezone);
    expect(param).toBe("timezone");
    expect(message).toContain("must be an IANA time zone name");
  });
});
