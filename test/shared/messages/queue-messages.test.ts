import { parse } from "valibot";
import { describe, expect, it } from "vitest";
import { backtestMessage, toBacktestMessage } from "../../../shared/messages/backtests-queue.ts";
import { deliveryMessage, toDeliveryMessage } from "../../../shared/messages/deliveries-queue.ts";
import { finishMessage, toFinishMessage } from "../../../shared/messages/finishes-queue.ts";
import {
  cancelMessage,
  dueMessage,
  purgeMessage,
  resumeMessage,
  runsMessage,
} from "../../../shared/messages/runs-queue.ts";
import { batchMessage, toBatchMessage } from "../../../shared/messages/steps-queue.ts";

/** Returns a value as SQS delivers it. */
const sent = (message: unknown): unknown => JSON.parse(JSON.stringify(message));
const run = { accountId: "acct_1", watchlistId: "wl_1", runNumber: 3 };
const scheduledTime = "2026-11-20T10:00:00.000Z";

describe("a message of the runs queue", () => {
  const named = { account_id: "acct_1", watchlist_id: "wl_1" };

  it.each([
    [
      "a watchlist that may be due",
      dueMessage({ ...run, scheduledTime }),
      { type: "due", ...named, scheduled_time: scheduledTime, overdue: false },
    ],
    [
      "an overdue watchlist",
      dueMessage({ ...run, scheduledTime, overdue: true }),
      { type: "due", ...named, scheduled_time: scheduledTime, overdue: true },
    ],
    ["a run to resume", resumeMessage(run), { type: "resume", ...named, run_number: 3 }],
    ["a watchlist to purge", purgeMessage("wl_1"), { type: "purge", watchlist_id: "wl_1" }],
    [
      "a hold to cancel",
      cancelMessage({ accountId: "acct_1", holdId: "req_1" }),
      { type: "cancel", account_id: "acct_1", hold_id: "req_1" },
    ],
  ])(
    "about the subject '%s' is parsed to the values that it was written with",
    (_, written, parsed) => {
      expect(parse(runsMessage, sent(written))).toEqual(parsed);
    },
  );

  it("is refused if the scheduled time in the message is not a time", () => {
    const message = dueMessage({ ...run, scheduledTime: "soon" });
    expect(() => parse(runsMessage, sent(message))).toThrow("must be an ISO 8601 time");
  });
});

describe("the messages of the queues for batches, finishes, back-tests and deliveries", () => {
  it("are parsed to the values that they were written with", () => {
    const batch = { ...run, runId: "wlrun_1", step: "lite", plan: "p", starts: null, batch: 7 };
    const hop = { ...batch, hops: 4 };
    const job = { accountId: "acct_1", watchlistId: "wl_1", id: "bt_1" };
    const target = { accountId: "acct_1", targetId: "we_1" };

    expect(parse(batchMessage, sent(toBatchMessage(hop)))).toEqual(hop);
    expect(parse(finishMessage, sent(toFinishMessage(run)))).toEqual(run);
    expect(parse(backtestMessage, sent(toBacktestMessage(job)))).toEqual(job);
    expect(parse(deliveryMessage, sent(toDeliveryMessage(target)))).toEqual(target);
  });

  it("are refused if they are delivery messages with an empty target ID", () => {
    const message = toDeliveryMessage({ accountId: "acct_1", targetId: "" });
    expect(() => parse(deliveryMessage, sent(message))).toThrow(/targetId|Invalid/);
  });
});
