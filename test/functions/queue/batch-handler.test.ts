import { setTimeout as delay } from "node:timers/promises";
import type { Context, SQSEvent } from "aws-lambda";
import { afterEach, describe, expect, it, vi } from "vitest";
import { object, string } from "valibot";
import { type BatchOptions, batchHandler, done } from "../../../functions/queue/batch-handler.ts";
import { newMetrics } from "../../../shared/observability/metrics.ts";
import { OutOfTimeError, withinBudget } from "../../../shared/base/retry-budget.ts";
import { addWorkKeys, recordMetrics } from "../../../shared/observability/work-log.ts";
import { fixedClock } from "../../support/clock.ts";
import { type Line, loggedLines, metricsOf } from "../../support/log-lines.ts";

afterEach(() => vi.restoreAllMocks());

const clock = fixedClock("2026-03-01T00:00:00Z");
const secret = "canary-of-a-message";
const context = {
  awsRequestId: "invocation-1",
  getRemainingTimeInMillis: () => 60_000,
} as unknown as Context;
const schema = object({ account_id: string(), secret: string() });
type Work = BatchOptions<{ account_id: string; secret: string }>["work"];

/** Handles messages in one batch. Returns the log lines and the messages that failed. */
async function handleAll(bodies: readonly string[], work: Work) {
  const { logger, lines } = loggedLines("delivery");
  const event = {
    Records: bodies.map((body, n) => ({
      messageId: `m${n}`,
      body,
      attributes: { ApproximateReceiveCount: "2", SentTimestamp: "1772000000000" },
    })),
  } as unknown as SQSEvent;
  const handler = batchHandler({
    schema,
    logger,
    clock,
    keys: ({ account_id }) => ({ account_id }),
    work: async (message, receipt) => {
      logger.info("begun");
      return work(message, receipt);
    },
  });
  const { batchItemFailures } = await handler(event, context);
  return { lines, again: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) };
}
const bodyOf = (account: string): string => JSON.stringify({ account_id: account, secret });
const about = (lines: readonly Line[], id: string): readonly Line[] =>
  lines.filter((line) => line["message_id"] === id);

describe("a worker that receives a batch of messages", () => {
  it("writes one log line at the end of each message, with IDs, outcome and duration", async () => {
    const { lines, again } = await handleAll([bodyOf("acct_0")], async (_message, receipt) => {
      expect(receipt.sentAt.getTime()).toBe(1_772_000_000_000);
      // The remaining time of the invocation, less the time to store the results.
      expect(receipt.deadline.getTime()).toBe(clock.now().getTime() + 40_000);
      clock.advance(1_234);
      return done;
    });

    expect(again).toEqual([]);
    const [closing, ...others] = lines.filter(({ message }) => message === "message");
    expect(others).toEqual([]);
    expect(closing).toMatchObject({
      level: "INFO",
      stage: "dev",
      service: "delivery",
      message_id: "m0",
      attempt: 2,
      invocation_id: "invocation-1",
      account_id: "acct_0",
      outcome: "done",
      duration_ms: 1_234,
    });
  });

  it("logs the IDs and metrics of each message separately if messages are handled in parallel", async () => {
    const accounts = Array.from({ length: 10 }, (_, n) => `acct_${n}`);
    const { lines } = await handleAll(accounts.map(bodyOf), async ({ account_id: account }) => {
      const n = Number(account.slice("acct_".length));
      // Later messages finish first, each after several turns of the event loop.
      for (let turn = 0; turn < 3; turn += 1) {
        await delay(30 - 3 * n);
        addWorkKeys({ [`only_${n}`]: turn });
        recordMetrics([newMetrics("deliveries", {}, { delivery_attempts: n, delivery_ms: n })]);
      }
      return done;
    });

    accounts.forEach((account, n) => {
      const own = about(lines, `m${n}`);
      expect(own.map(({ message }) => message)).toEqual(["begun", "message"]);
      for (const line of own) expect(line["account_id"]).toBe(account);
      const [begun, closing = {}] = own;
      expect(begun).not.toHaveProperty(`only_${n}`);
      expect(Object.keys(closing).filter((key) => key.startsWith("only_"))).toEqual([`only_${n}`]);
      expect(metricsOf(closing)).toEqual({ delivery_attempts: [3 * n], delivery_ms: [n, n, n] });
    });
    expect(lines).toHaveLength(20);
  });

  it("logs the error that made a message fail, with the metrics of the message", async () => {
    const { lines, again } = await handleAll(
      [bodyOf("acct_0"), bodyOf("acct_1")],
      async (message) => {
        recordMetrics([newMetrics("deliveries", {}, { delivery_attempts: 1 })]);
        if (message.account_id === "acct_1") throw new Error("the table was deleted");
        return done;
      },
    );

    expect(again).toEqual(["m1"]);
    const [failed = {}, ...others] = lines.filter(({ level }) => level === "ERROR");
    expect(others).toEqual([]);
    expect(failed).toMatchObject({
      message: "message failed",
      message_id: "m1",
      account_id: "acct_1",
      outcome: "retry",
      error: { message: "the table was deleted" },
    });
    expect(metricsOf(failed)).toEqual({ delivery_attempts: [1], unforeseen_errors: [1] });
    expect(failed["_aws"]).toMatchObject({
      CloudWatchMetrics: [
        { Dimensions: [["stage"]] },
        { Dimensions: [["stage", "service"]], Metrics: [{ Name: "unforeseen_errors" }] },
      ],
    });
  });

  it.each([
    ["not JSON", secret],
    ["invalid field: account_id", `{"account_id": 1, "secret": "${secret}"}`],
    ["invalid field: secret", `{"account_id": "a", "secret": ["${secret}"]}`],
    ["invalid field: body", `"${secret}"`],
  ])(
    "returns an invalid message to the queue and logs the reason '%s', but not the message's content",
    async (issue, body) => {
      const { lines, again } = await handleAll([body, bodyOf("acct_1")], async () => done);

      expect(again).toEqual(["m0"]);
      expect(about(lines, "m0")).toEqual([
        expect.objectContaining({ level: "ERROR", message: "invalid message", issue }),
      ]);
      expect(JSON.stringify(lines)).not.toContain("canary");
    },
  );

  it("returns a message to the queue if a slow dependency would use up the remaining time of the function", async () => {
    const asked: number[] = [];
    const hanging = () =>
      withinBudget(4_000, async (milliseconds) => {
        asked.push(milliseconds);
        clock.advance(milliseconds);
        throw new Error("no response");
      });
    const { again } = await handleAll([bodyOf("acct_0")], async () => {
      for (;;) {
        await hanging().catch((error: Error) => {
          if (error instanceof OutOfTimeError) throw error;
        });
      }
    });

    expect(again).toEqual(["m0"]);
    expect(asked).toEqual([4_000, 4_000, 4_000, 4_000, 4_000]);
  });
});
