import { SchedulerClient } from "@aws-sdk/client-scheduler";
import type { Context, SQSEvent } from "aws-lambda";
import { expect, it } from "vitest";
import { createHandler } from "../../../functions/run-starter/handler.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import { countingRandom, fixedClock } from "../../support/clock.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();

const context = {
  awsRequestId: "invocation-1",
  getRemainingTimeInMillis: () => 60_000,
} as unknown as Context;

/**
 * Handles a tick, the message of a schedule, before the watchlist is due. Returns the schedules
 * that were written and the messages that failed.
 */
async function workOnTick(tick: object, error?: Error) {
  const table = await tables.create();
  const clock = fixedClock("2026-03-01T10:30:00Z");
  const random = countingRandom();
  const list = aWatchlist({ nextRunAt: "2026-03-01T11:00:00.000Z" });
  await putWatchlist({ client: tables.client, table, clock, random }, list, []);
  const written: unknown[] = [];
  const scheduler = new SchedulerClient({});
  scheduler.middlewareStack.add(
    () =>
      async ({ input }) => {
        if (error !== undefined) throw error;
        written.push(input);
        return { output: { $metadata: {} }, response: {} };
      },
    { step: "initialize" },
  );
  const handler = createHandler(
    {
      STAGE: "dev",
      ACCOUNTS_TABLE: table,
      LEDGER_TABLE: table,
      WATCHLISTS_TABLE: table,
      DELIVERIES_TABLE: table,
      STEPS_QUEUE_URL: "https://sqs/steps",
      FINISHES_QUEUE_URL: "https://sqs/finishes",
      RUNS_QUEUE_URL: "https://sqs/runs",
      SCHEDULE_GROUP: "lists",
      SCHEDULE_ROLE_ARN: "arn:aws:iam::1:role/schedules",
    },
    { clock, random, clients: { dynamo: tables.client, scheduler } },
  );
  const body = JSON.stringify({
    type: "due",
    account_id: list.accountId,
    watchlist_id: list.id,
    scheduled_time: "2026-03-01T10:00:00Z",
    ...tick,
  });
  const attributes = { ApproximateReceiveCount: "1", SentTimestamp: "1772000000000" };
  const event = { Records: [{ messageId: "m1", body, attributes }] } as unknown as SQSEvent;
  const { batchItemFailures } = await handler(event, context);
  scheduler.destroy();
  return { written, batchItemFailures };
}

it("a tick of a schedule from an earlier release rewrites the schedule with the message group of its account", async () => {
  const { written, batchItemFailures } = await workOnTick({});
  expect(batchItemFailures).toEqual([]);
  expect(written).toMatchObject([
    {
      Name: aWatchlist().id,
      ScheduleExpression: "rate(60 minutes)",
      StartDate: new Date("2026-03-01T11:00:00Z"),
      Target: { Input: expect.stringContaining('"MessageGroupId":"acct_1"') },
    },
  ]);
});

it("a tick of a schedule that has a message group does not rewrite the schedule", async () => {
  expect(await workOnTick({ hops: 0 })).toEqual({ written: [], batchItemFailures: [] });
});

it("a tick of a schedule from an earlier release succeeds even if the schedule cannot be rewritten", async () => {
  const failing = await workOnTick({}, new Error("no response"));
  expect(failing).toEqual({ written: [], batchItemFailures: [] });
});
