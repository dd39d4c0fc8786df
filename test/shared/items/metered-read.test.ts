import { expect, it } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { withinBudget } from "../../../shared/base/retry-budget.ts";
import { meteredRead } from "../../../shared/items/metered-read.ts";
import { fixedClock } from "../../support/clock.ts";

const { attemptMs, answerSpareMs, cancelMs, sendMs } = limits.dependencies;

it("a call that can neither respond in time nor cancel its charge reports that the charge is unconfirmed", async () => {
  const clock = fixedClock("2026-03-01T00:00:00Z");
  /** Returns a request without a response. */
  const hang = (): Promise<never> =>
    withinBudget(attemptMs, async (milliseconds) => {
      clock.advance(milliseconds);
      throw Object.assign(new Error("no response"), { name: "TimeoutError" });
    });
  const asked: string[] = [];
  const now = clock.now();
  const call = {
    accountId: "acct_1",
    apiKeyId: "key_1",
    requestId: "req_1",
    endpoint: "POST /v1/products",
    now,
    deadline: now,
    msToAnswer: () => now.getTime() + 1 - clock.now().getTime(),
  };
  const reading = meteredRead(
    call,
    {
      scraper: "retailer_d.standard",
      param: "ids",
      items: 1,
      reserved: 1,
      cap: {},
      charge: () => 1,
      read: async () => [{ status: "ok" as const }],
      present: (answer) => answer,
    },
    {
      clock,
      ledger: {
        reserve: async () => ({ outcome: "reserved" as const, balance: 1 }),
        settle: async () => {
          clock.advance(1);
          return { credits: 1, balance: 0 };
        },
        cancel: () => {
          asked.push("ledger");
          return hang();
        },
      },
      cancels: {
        send: () => {
          asked.push("queue");
          return hang();
        },
      },
    },
  );
  await expect(reading).rejects.toMatchObject({ status: 503, details: { isUnconfirmed: true } });
  expect(asked).toEqual(["ledger", "queue"]);
  const tookMs = clock.now().getTime() - now.getTime() - 1;
  expect(tookMs).toBe(cancelMs);
  expect(tookMs + sendMs).toBeLessThanOrEqual(answerSpareMs);
});

it("a call that can cost more than its credit limit fails with 402, without a reservation, a read or a slot", async () => {
  const never = (): Promise<never> => Promise.reject(new Error("the call went on"));
  const clock = fixedClock("2026-03-01T00:00:00Z");
  const now = clock.now();
  const reading = meteredRead(
    {
      accountId: "acct_1",
      apiKeyId: "key_1",
      requestId: "req_1",
      endpoint: "POST /v1/products",
      now,
      deadline: now,
      msToAnswer: () => 1,
    },
    {
      scraper: "retailer_d.standard",
      param: "ids",
      items: 3,
      reserved: 3,
      cap: { maxCredits: 2 },
      charge: () => 0,
      read: never,
      present: (answer: { readonly status: "ok" }) => answer,
    },
    {
      clock,
      ledger: { reserve: never, settle: never, cancel: never },
      cancels: { send: never },
    },
  );
  await expect(reading).rejects.toMatchObject({
    status: 402,
    code: "INVALID_PARAM",
    details: { param: "max_credits" },
  });
});
