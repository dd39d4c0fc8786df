import type { Logger } from "@aws-lambda-powertools/logger";
import middy from "@middy/core";
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { type GenericSchema, getDotPath, safeParse } from "valibot";
import type { Clock } from "../../shared/base/clock.ts";
import { figures } from "../../shared/observability/figures.ts";
import { withRetryBudget, workerRetryBudget } from "../../shared/base/retry-budget.ts";
import {
  addWorkKeys,
  endWork,
  newWork,
  tell,
  within,
  type WorkKeys,
} from "../../shared/observability/work-log.ts";

/**
 * What became of a message. `done` deletes it; `retry` leaves it to come again after the queue's
 * visibility timeout.
 */
export interface Outcome {
  readonly outcome: "done" | "retry";
}

export const done: Outcome = { outcome: "done" };

/** What is known of a message besides what it says. */
export interface Receipt {
  /** When work must stop so that there is time to store what was done. */
  readonly deadline: Date;
  /** When the message was sent. */
  readonly sentAt: Date;
}

export interface BatchOptions<Message> {
  readonly schema: GenericSchema<unknown, Message>;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Whose message it is, for the log. */
  readonly keys: (message: Message) => WorkKeys;
  /** Works on one message; throwing is a retry. */
  readonly work: (message: Message, receipt: Receipt) => Promise<Outcome>;
}

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** Time kept free at the end of an invocation to store what was done. */
const spareMilliseconds = 20_000;

/** The Lambda of a queue: each record on its own, so that one bad message never repeats the rest. */
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
          withRetryBudget(retries, () => workOn(record, deadline, options)),
        );
      }),
    );
    return {
      batchItemFailures: event.Records.filter((_, n) => outcomes[n]?.outcome === "retry").map(
        (record) => ({ itemIdentifier: record.messageId }),
      ),
    };
  };
  // Work that goes on must not be told as failed: its messages would be worked on twice at once.
  return middy<SQSEvent, SQSBatchResponse>({ timeoutEarlyInMillis: 0 }).handler(handle);
}

/** Works on a message and writes one line about it, which is its metrics as well. */
async function workOn<Message>(
  record: SQSRecord,
  deadline: Date,
  { schema, logger, clock, keys, work }: BatchOptions<Message>,
): Promise<Outcome> {
  const startedAt = clock.now().getTime();
  const tookMs = (): number => clock.now().getTime() - startedAt;
  const failed = (what: string, why: Readonly<Record<string, unknown>>): Outcome => {
    const line = { outcome: "retry", duration_ms: tookMs(), ...why };
    tell([figures("errors", {}, { unforeseen_errors: 1 })]);
    endWork((text, said) => logger.error(text, said), what, line);
    return { outcome: "retry" };
  };
  try {
    const { message, issue } = understood(schema, record.body);
    // It goes to the dead-letter queue, where somebody can read it, and not away.
    if (issue !== undefined) return failed("message not understood", { issue });
    addWorkKeys(keys(message));
    const sentAt = new Date(Number(record.attributes.SentTimestamp));
    const { outcome } = await work(message, { deadline, sentAt });
    const line = { outcome, duration_ms: tookMs() };
    endWork((text, said) => logger.info(text, said), "message", line);
    return { outcome };
  } catch (error) {
    return failed("message failed", { error: asError(error) });
  }
}

type Understood<Message> =
  | { readonly message: Message; readonly issue?: undefined }
  | { readonly message?: undefined; readonly issue: string };

/** A message, or what is wrong with it: where, and never what stands there. */
function understood<Message>(
  schema: GenericSchema<unknown, Message>,
  body: string,
): Understood<Message> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { issue: "not JSON" };
  }
  const result = safeParse(schema, value);
  if (result.success) return { message: result.output };
  return { issue: `not of the expected shape: ${getDotPath(result.issues[0]) ?? "body"}` };
}

const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
