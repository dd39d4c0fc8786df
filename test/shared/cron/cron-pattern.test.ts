import { describe, expect, it } from "vitest";
import { cronPattern } from "../../../shared/cron/cron-pattern.ts";
import { parseFields } from "../../../shared/cron/fields.ts";

const pattern = new RegExp(cronPattern);

describe("the documented pattern of cron", () => {
  it.each([
    "* * * * *",
    "*/5 0-6,8-23/2 1,15,31 * MON-FRI",
    "0 12 * JAN-MAR,DEC 0-7",
    "59 23 31 12 7",
    "@daily",
    "00 08 09 09 *",
  ])("matches the accepted expression %s", (expression) => {
    expect(() => parseFields(expression)).not.toThrow();
    expect(pattern.test(expression)).toBe(true);
  });

  it.each([
    "",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * 32 * *",
    "* * * 13 *",
    "* * * * 8",
    "5/15 * * * *",
    "? * * * *",
    "@reboot",
    "1,,2 * * * *",
  ])("does not match the refused expression %j", (expression) => {
    expect(() => parseFields(expression)).toThrow("'cron'");
    expect(pattern.test(expression)).toBe(false);
  });
});
