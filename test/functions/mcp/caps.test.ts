import { describe, expect, it } from "vitest";
import { maxCredits, maxDays } from "../../../functions/mcp/caps.ts";

const now = new Date("2026-11-28T12:00:00Z");

describe("the credit and time caps of MCP tools", () => {
  it("refuse a call without 'max_credits'", () => {
    expect(() => maxCredits.check({}, now)).toThrow("'max_credits' is required");
  });

  it.each([Infinity, -1, 1.5, "5", []])("refuse the value %s of 'max_credits'", (cap) => {
    expect(() => maxCredits.check({ max_credits: cap }, now)).toThrow(
      "'max_credits' must be an integer of at least 0",
    );
  });

  it.each([
    [{ max_days: 1 }, undefined],
    [{ max_days: 3, since: "2026-11-26T00:00:00Z" }, undefined],
    [{ max_days: 2, since: "2026-11-26T00:00:00Z", until: "2026-11-28T00:00:00Z" }, undefined],
    [{ max_days: 2, since: "2026-11-26T00:00:00Z" }, "The span is 3 days, but 'max_days' is 2."],
    [{}, "'max_days' is required: an agent must state how many days it may back-test."],
    [{ max_days: 32 }, "'max_days' must be an integer from 1 to 31 (got 32)."],
    [{ max_days: "2" }, "'max_days' must be an integer from 1 to 31"],
  ])("check the time span of the back-test arguments %j (expected error: %s)", (sent, message) => {
    const check = () => maxDays.check(sent, now);
    if (message === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(message);
  });
});
