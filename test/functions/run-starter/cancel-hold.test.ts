import { expect, it } from "vitest";
import { cancelHoldUntil } from "../../../functions/run-starter/cancel-hold.ts";
import { unavailable } from "../../../shared/base/errors.ts";
import type { HoldRef } from "../../../shared/credits/ledger.ts";
import { fixedClock } from "../../support/clock.ts";

const start = "2026-03-01T00:00:00.000Z";
const hold = { accountId: "acct_1", holdId: "req_1" };

/**
 * Returns a ledger that fails for the given number of milliseconds, and that counts its requests.
 */
function ledgerDownFor(milliseconds: number, error: () => Error) {
  const fixed = fixedClock(start);
  const clock = { ...fixed, sleep: async (ms: number) => fixed.advance(ms) };
  const upAt = clock.now().getTime() + milliseconds;
  const asked: HoldRef[] = [];
  const ledger = {
    async cancel(ref: HoldRef): Promise<void> {
      asked.push(ref);
      if (clock.now().getTime() < upAt) throw error();
    },
  };
  return { clock, asked, ledger };
}
const noAnswer = (): Error => Object.assign(new Error("no response"), { name: "TimeoutError" });
const until = new Date(Date.parse(start) + 40_000);

it.each([
  ["does not respond", noAnswer],
  ["is overloaded", () => unavailable()],
])(
  "the run starter retries the cancel of a hold until the cancel succeeds, even if the ledger at first %s",
  async (_, error) => {
    const { clock, asked, ledger } = ledgerDownFor(9_000, error);
    await cancelHoldUntil(hold, until, { ledger, clock });
    expect(asked).toHaveLength(6);
    expect(asked.at(-1)).toEqual({ ...hold, now: new Date(Date.parse(start) + 10_000) });
  },
);

it("the run starter returns a message to cancel a hold to the queue if the ledger stays unavailable", async () => {
  const { clock, ledger } = ledgerDownFor(60_000, noAnswer);
  await expect(cancelHoldUntil(hold, until, { ledger, clock })).rejects.toThrow("no response");
  expect(clock.now().getTime()).toBeLessThan(until.getTime());
});

it("the run starter does not retry the cancel of a hold after an internal error", async () => {
  const { clock, asked, ledger } = ledgerDownFor(60_000, () => new TypeError("mistake"));
  await expect(cancelHoldUntil(hold, until, { ledger, clock })).rejects.toThrow("mistake");
  expect(asked).toHaveLength(1);
});
