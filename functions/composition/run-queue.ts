import { sqsRunQueue } from "../../shared/aws/queues/run-queue.ts";
import type { RunQueue } from "../../shared/runs/run-queue.ts";
import { sqs } from "./clients.ts";
import type { Needs } from "./dependencies.ts";
import type { Overrides } from "./overrides.ts";

/**
 * Returns the port that sends messages about runs. Sending to a queue rejects with an Error if
 * `environment` lacks the URL of the queue.
 * @param hops the number of messages in the chain that led to this invocation; 0 if no message did
 * @throws Error if `hops` exceeds `limits.messageHopsMax`
 */
export const runQueue = (
  environment: Partial<Needs<"RUNS_QUEUE_URL" | "STEPS_QUEUE_URL" | "FINISHES_QUEUE_URL">>,
  overrides: Overrides,
  hops = 0,
): RunQueue => {
  const urls = {
    ...(environment.RUNS_QUEUE_URL === undefined ? {} : { runs: environment.RUNS_QUEUE_URL }),
    ...(environment.STEPS_QUEUE_URL === undefined ? {} : { steps: environment.STEPS_QUEUE_URL }),
    ...(environment.FINISHES_QUEUE_URL === undefined
      ? {}
      : { finishes: environment.FINISHES_QUEUE_URL }),
  };
  return sqsRunQueue(sqs(overrides), urls, hops);
};
