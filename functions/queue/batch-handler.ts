import type { Logger } from "@aws-lambda-powertools/logger";
import middy from "@middy/core";
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { type GenericSchema, getDotPath, safeParse } from "valibot";
import type { Clock } from "../../shared/base/clock.ts";
import { newMetrics } from "../../shared/observability/metrics.ts";
import { withRetryBudget, workerRetryBudget } from "../../shared/base/retry-budget.ts";
import {
  addWorkKeys,
  endWork,
  newWork,
  recordMetrics,
  within,
  type WorkKeys,
} from "../../shared/observability/work-log.ts";

/**
 * The result of handling a message. `done` deletes the message; after `retry`, SQS delivers the
 * message again when its visibility timeout ends.
 */
export interface Outcome {
  readonly outcome: "done" | "retry";
}

/** The outcome of a message that was handled and can be deleted. */
export const done: Outcome = { outcome: "done" };

/** The times of a message. */
export interface Receipt {
  /** The time at which work must stop, so that its results can still be stored. */
  readonly deadline: Date;
  /** The time at which the message was sent. */
  readonly sentAt: Date;
}

/** How to handle the messages of a queue. */
export interface BatchOptions<Message> {
  readonly schema: GenericSchema<unknown, Message>;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Returns the IDs in a message, for its log line. */
  readonly keys: (message: Message) => WorkKeys;
  /** Handles one message. A thrown error means `retry`. */
  readonly work: (message: Message, receipt: Receipt) => Promise<Outcome>;
}

/** Handles a batch of messages. Returns the messages that SQS must deliver again. */
export type QueueHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** Time at the end of an invocation, in milliseconds, that is reserved for storing results. */
const spareMilliseconds = 20_000;

/**
 * Creates the Lambda handler of a queue. It processes the messages of a batch in parallel, and
 * writes one log line for each. It reports failures by message, so that SQS repeats only the failed
 * messages. A message fails if it does not match the schema, or if `work` throws or returns
 * `retry`.
 */
export function batchHandler<Message>(options: BatchOptions<Message>): QueueHandler {
  const handle = async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const deadline = new Date(
      options.clock.now().getTime() +
        Math.max(0, context.getRemainingTimeInMillis() - spareMilliseconds),
    );
    const outcomes = await Promise.all(
      event.Records.map((record) => {
        const work = newWork({
          message_id: record.messageId,
          attempt: Number(record.attributes.ApproximateReceiveCount),
          invocation_id: context.awsRequestId,
        });
        const retries = workerRetryBudget(options.clock, context);
        return within(work, () =>
          withRetryBudget(retries, () => handleRecord(record, deadline, options)),
        );
      }),
    );
    return {
      batchItemFailures: event.Records.filter((_, n) => outcomes[n]?.outcome === "retry").map(
        (record) => ({ itemIdentifier: record.messageId }),
      ),
    };
  };
  // Disables the early timeout response of the middleware engine. After such a response, SQS would
  // deliver messages again while they are still being handled.
  return middy<SQSEvent, SQSBatchResponse>({ timeoutEarlyInMillis: 0 }).handler(handle);
}

/** Handles a message and writes one log line, which also contains the metrics of the message. */
async function handleRecord<Message>(
  record: SQSRecord,
  deadline: Date,
  { schema, logger, clock, keys, work }: BatchOptions<Message>,
): Promise<Outcome> {
  const startedAt = clock.now().getTime();
  const tookMs = (): number => clock.now().getTime() - startedAt;
  const failed = (what: string, why: Readonly<Record<string, unknown>>): Outcome => {
    const line = { outcome: "retry", duration_ms: tookMs(), ...why };
    recordMetrics([newMetrics("errors", {}, { unforeseen_errors: 1 })]);
    endWork((text, attributes) => logger.error(text, attributes), what, line);
    return { outcome: "retry" };
  };
  try {
    const { message, issue } = parseMessage(schema, record.body);
    // An invalid message is repeated too. After several retries, it reaches the dead-letter queue,
    // where an operator can read it.
    if (issue !== undefined) return failed("invalid message", { issue });
    addWorkKeys(keys(message));
    const sentAt = new Date(Number(record.attributes.SentTimestamp));
    const { outcome } = await work(message, { deadline, sentAt });
    const line = { outcome, duration_ms: tookMs() };
    endWork((text, attributes) => logger.info(text, attributes), "message", line);
    return { outcome };
  } catch (error) {
    return failed("message failed", { error: asError(error) });
  }
}

type ParsedMessage<Message> =
  | { readonly message: Message; readonly issue?: undefined }
  | { readonly message?: undefined; readonly issue: string };

/**
 * Parses a message. Returns `issue` if it is invalid: the reason or the invalid field, never a
 * value of the message.
 */
function parseMessage<Message>(
  schema: GenericSchema<unknown, Message>,
  body: string,
): ParsedMessage<Message> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { issue: "not JSON" };
  }
  const result = safeParse(schema, value);
  if (result.success) return { message: result.output };
  return { issue: `invalid field: ${getDotPath(result.issues[0]) ?? "body"}` };
}

const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
