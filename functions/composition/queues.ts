/**
 * The SQS queues. A function that sends messages in each invocation imports this file. Other
 * functions import `on-first-use/queues.ts`, which loads this file at the first message.
 */
import { SQSClient } from "@aws-sdk/client-sqs";
import { sqsBacktestQueue } from "../../shared/aws/queues/backtest-queue.ts";
import { sqsCancelQueue } from "../../shared/aws/queues/cancel-queue.ts";
import { sqsOutboxQueue } from "../../shared/aws/queues/outbox-queue.ts";
import { sqsRunQueue } from "../../shared/aws/queues/run-queue.ts";
import { clientSettings } from "../../shared/aws/sdk/client-settings.ts";
import type { BacktestQueue } from "../../shared/backtest/backtest-queue.ts";
import type { CancelQueue } from "../../shared/credits/cancel-queue.ts";
import type { OutboxQueue } from "../../shared/outbox/outbox.ts";
import type { RunQueue } from "../../shared/runs/run-queue.ts";
import { client } from "./clients.ts";
import type { Needs } from "../environment.ts";
import type { Overrides } from "./overrides.ts";

const sqs = /* @__PURE__ */ client("sqs", () => new SQSClient(clientSettings()));

export type RunQueueNeeds = Partial<
  Needs<"RUNS_QUEUE_URL" | "STEPS_QUEUE_URL" | "FINISHES_QUEUE_URL">
>;

/**
 * Creates the queues of the messages about runs. If `environment` lacks the URL of a queue, sending
 * a message to this queue rejects with an Error.
 * @param overrides replacements of dependencies, for tests and the local world
 * @param hops number of messages in the chain that led to this invocation; 0 if no message started
 * it
 * @throws Error if `hops` exceeds `limits.messageHopsMax`
 */
export const runQueue = (environment: RunQueueNeeds, overrides: Overrides, hops = 0): RunQueue => {
  const urls = {
    ...(environment.RUNS_QUEUE_URL === undefined ? {} : { runs: environment.RUNS_QUEUE_URL }),
    ...(environment.STEPS_QUEUE_URL === undefined ? {} : { steps: environment.STEPS_QUEUE_URL }),
    ...(environment.FINISHES_QUEUE_URL === undefined
      ? {}
      : { finishes: environment.FINISHES_QUEUE_URL }),
  };
  return sqsRunQueue(sqs(overrides), urls, hops);
};

/**
 * Creates the queue of wake-up messages for the delivery worker.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const outboxQueue = (
  environment: Needs<"DELIVERIES_QUEUE_URL">,
  overrides: Overrides,
): OutboxQueue => sqsOutboxQueue(sqs(overrides), environment.DELIVERIES_QUEUE_URL);

/**
 * Creates the queue of messages that cancel the holds of calls.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const cancelQueue = (
  environment: Needs<"RUNS_QUEUE_URL">,
  overrides: Overrides,
): CancelQueue => sqsCancelQueue(sqs(overrides), environment.RUNS_QUEUE_URL);

/**
 * Creates the queue of back-tests that are too large for a call.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const backtestQueue = (
  environment: Needs<"BACKTESTS_QUEUE_URL">,
  overrides: Overrides,
): BacktestQueue => sqsBacktestQueue(sqs(overrides), environment.BACKTESTS_QUEUE_URL);
