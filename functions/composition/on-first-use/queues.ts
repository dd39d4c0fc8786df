/**
 * The SQS queues, for functions that send no message in most invocations.
 * The client loads at the first call of the port, so that a cold start does not wait for it.
 */
import type { BacktestQueue } from "../../../shared/backtest/backtest-queue.ts";
import type { CancelQueue } from "../../../shared/credits/cancel-queue.ts";
import type { OutboxQueue } from "../../../shared/outbox/outbox.ts";
import type { RunQueue } from "../../../shared/runs/run-queue.ts";
import type { Needs } from "../../environment.ts";
import type { Overrides } from "../overrides.ts";
import type { RunQueueNeeds } from "../queues.ts";
import { portOnFirstUse } from "./port-on-first-use.ts";

const queues = () => import("../queues.ts");

/**
 * Creates the queues of the messages about runs. The SQS client loads at the first message.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function runQueue(environment: RunQueueNeeds, overrides: Overrides): RunQueue {
  return portOnFirstUse(
    async () => (await queues()).runQueue(environment, overrides),
    ["sendDue", "sendPurge", "sendResume", "sendBatches", "sendFinish"],
  );
}

/**
 * Creates the queue of wake-up messages for the delivery worker. The SQS client loads at the first
 * message.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function outboxQueue(
  environment: Needs<"DELIVERIES_QUEUE_URL">,
  overrides: Overrides,
): OutboxQueue {
  return portOnFirstUse(async () => (await queues()).outboxQueue(environment, overrides), ["send"]);
}

/**
 * Creates the queue of messages that cancel the holds of calls. The SQS client loads at the first
 * message.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function cancelQueue(
  environment: Needs<"RUNS_QUEUE_URL">,
  overrides: Overrides,
): CancelQueue {
  return portOnFirstUse(async () => (await queues()).cancelQueue(environment, overrides), ["send"]);
}

/**
 * Creates the queue of back-tests that are too large for a call. The SQS client loads at the first
 * message.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function backtestQueue(
  environment: Needs<"BACKTESTS_QUEUE_URL">,
  overrides: Overrides,
): BacktestQueue {
  return portOnFirstUse(
    async () => (await queues()).backtestQueue(environment, overrides),
    ["send"],
  );
}
