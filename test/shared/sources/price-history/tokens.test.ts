import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../../../shared/base/clock.ts";
import { historyTokens, type Tokens } from "../../../../shared/sources/price-history/tokens.ts";

/** Creates a clock that advances immediately when code sleeps. */
function testClock(): Clock & { readonly elapsedMs: () => number } {
  let elapsed = 0;
  return {
    now: () => new Date(1_000_000 + elapsed),
    sleep: async (milliseconds) => {
      elapsed += milliseconds;
    },
    elapsedMs: () => elapsed,
  };
}

const account = (left: number, refillInMs = 20_000, perMinute = 10) => ({
  left,
  refillInMs,
  perMinute,
});

async function tokensWith(left: number, refillInMs?: number, perMinute?: number) {
  const clock = testClock();
  const tokens: Tokens = historyTokens(clock);
  const later = (milliseconds: number): Date => new Date(clock.now().getTime() + milliseconds);
  await tokens.take(1, later(1));
  tokens.settle(1, account(left, refillInMs, perMinute));
  return { clock, tokens, later };
}

describe("the token balance of the price history API", () => {
  it("admits calls before the first response", async () => {
    const clock = testClock();
    const tokens = historyTokens(clock);
    const deadline = new Date(clock.now().getTime() + 10);
    expect(await tokens.take(300, deadline)).toBe(true);
    expect(await tokens.take(300, deadline)).toBe(true);
    expect(clock.elapsedMs()).toBe(0);
  });

  it("admits a call that costs more tokens than are left if at least one token is left", async () => {
    const { clock, tokens, later } = await tokensWith(1);
    expect(await tokens.take(300, later(10))).toBe(true);
    expect(clock.elapsedMs()).toBe(0);
  });

  it("makes a call wait for the next grant of tokens if none are left", async () => {
    const { clock, tokens, later } = await tokensWith(0);
    expect(await tokens.take(5, later(60_000))).toBe(true);
    expect(clock.elapsedMs()).toBe(20_000);
  });

  it("makes a call wait until grants of tokens have made a negative balance positive", async () => {
    const { clock, tokens, later } = await tokensWith(-25);
    expect(await tokens.take(5, later(300_000))).toBe(true);
    expect(clock.elapsedMs()).toBe(20_000 + 2 * 60_000);
  });

  it("refuses a call immediately if there will be no tokens by its deadline", async () => {
    const { clock, tokens, later } = await tokensWith(-25);
    expect(await tokens.take(5, later(100_000))).toBe(false);
    expect(clock.elapsedMs()).toBe(0);
  });

  it("refuses a call after its deadline, even if tokens are left", async () => {
    const { tokens, later } = await tokensWith(500);
    expect(await tokens.take(5, later(0))).toBe(false);
  });

  it("counts the tokens of calls in flight as spent", async () => {
    const { clock, tokens, later } = await tokensWith(50);
    expect(await tokens.take(40, later(60_000))).toBe(true);
    expect(await tokens.take(5, later(60_000))).toBe(true);
    // The source answers this call before it has counted the call for 40 tokens.
    tokens.settle(5, account(40));
    expect(await tokens.take(1, later(60_000))).toBe(true);
    expect(clock.elapsedMs()).toBe(20_000);
  });

  it("admits a waiting call as soon as a response reports tokens", async () => {
    const { clock, tokens, later } = await tokensWith(50);
    expect(await tokens.take(3_000, later(60_000))).toBe(true);
    const next = tokens.take(1, later(60_000));
    tokens.settle(3_000, account(45));
    expect(await next).toBe(true);
    expect(clock.elapsedMs()).toBe(250);
  });

  it("admits a call at the time of the next grant, even if the source reports a grant of no tokens", async () => {
    const { clock, tokens, later } = await tokensWith(0, 15_000, 0);
    expect(await tokens.take(1, later(60_000))).toBe(true);
    expect(clock.elapsedMs()).toBe(15_000);
  });

  it("admits one call after five minutes, whatever balance the source reported", async () => {
    const { clock, tokens, later } = await tokensWith(-9e15);
    expect(await tokens.take(5, later(299_000))).toBe(false);
    expect(await tokens.take(5, later(301_000))).toBe(true);
    expect(clock.elapsedMs()).toBe(300_000);
    tokens.settle(5, null);
    expect(await tokens.take(5, later(1_000))).toBe(false);
  });

  it("never admits a call before its tokens are granted, and never makes a call wait beyond its deadline", async () => {
    const state = fc.record({
      left: fc.integer({ min: -200, max: 50 }),
      refillInMs: fc.integer({ min: 0, max: 60_000 }),
      perMinute: fc.integer({ min: 1, max: 100 }),
      waitMs: fc.integer({ min: 1, max: 600_000 }),
    });
    await fc.assert(
      fc.asyncProperty(state, async ({ left, refillInMs, perMinute, waitMs }) => {
        const { clock, tokens, later } = await tokensWith(left, refillInMs, perMinute);
        const isLet = await tokens.take(1, later(waitMs));
        expect(clock.elapsedMs()).toBeLessThanOrEqual(waitMs + 1);
        // The last reported number expires after five minutes.
        if (!isLet || left > 0 || clock.elapsedMs() >= 300_000) return;
        const grants = Math.floor((clock.elapsedMs() - refillInMs) / 60_000) + 1;
        expect(left + grants * perMinute).toBeGreaterThan(0);
      }),
    );
  });
});
