/**
 * The SQS queues, for functions that send no message in most invocations.
 * The client loads at the first call of the port, so that a cold start does not wait for it.
 */
import type { BacktestQueue } from "../../../shared/backtest/backtest-queue.ts";
import type { CancelQueue } from "../../../shared/credits/cancel-queue.ts";
import type { OutboxQueue } from "../../../shared/outbox/outbox.ts";
import type { RunQueue } from "../../../shared/runs/run-queue.ts";
import type { Needs } from "../../environment.ts";
import { once } from "../clients.ts";
import type { Overrides } from "../overrides.ts";
import type { RunQueueNeeds } from "../queues.ts";

const queues = () => import("../queues.ts");

/** Returns the port that sends messages about runs. */
export function runQueue(environment: RunQueueNeeds, overrides: Overrides): RunQueue {
  const queue = once(async () => (await queues()).runQueue(environment, overrides));
  return {
    sendDue: async (due) => (await queue()).sendDue(due),
    sendPurge: async (watchlistId) => (await queue()).sendPurge(watchlistId),
    sendResume: async (run) => (await queue()).sendResume(run),
    sendBatches: async (batches) => (await queue()).sendBatches(batches),
    sendFinish: async (run) => (await queue()).sendFinish(run),
  };
}

/** Returns the queue of wake-up messages for delivery targets. */
export function outboxQueue(
  environment: Needs<"DELIVERIES_QUEUE_URL">,
  overrides: Overrides,
): OutboxQueue {
  const queue = once(async () => (await queues()).outboxQueue(environment, overrides));
  return { send: async (targets, delaySeconds) => (await queue()).send(targets, delaySeconds) };
}

/** Returns the queue of messages that cancel the holds of calls. */
export function cancelQueue(
  environment: Needs<"RUNS_QUEUE_URL">,
  overrides: Overrides,
): CancelQueue {
  const queue = once(async () => (await queues()).cancelQueue(environment, overrides));
  return { send: async (hold) => (await queue()).send(hold) };
}

/** Returns the queue of back-tests that are too large for a call. */
export function backtestQueue(
  environment: Needs<"BACKTESTS_QUEUE_URL">,
  overrides: Overrides,
): BacktestQueue {
  const queue = once(async () => (await queues()).backtestQueue(environment, overrides));
  return { send: async (job) => (await queue()).send(job) };
}
