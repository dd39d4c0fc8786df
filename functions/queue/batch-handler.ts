import type { Logger } from "@aws-lambda-powertools/logger";
import middy from "@middy/core";
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { type GenericSchema, safeParse } from "valibot";

/**
 * What became of a message. `done` deletes it; `retry` leaves it to come again after the queue's
 * visibility timeout.
 */
export interface Outcome {
  readonly outcome: "done" | "retry";
}

export const done: Outcome = { outcome: "done" };

export interface BatchOptions<Message> {
  readonly schema: GenericSchema<unknown, Message>;
  readonly logger: Logger;
  /** Works on one message; throwing is a retry. */
  readonly work: (message: Message, deadline: Date) => Promise<Outcome>;
}

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** Time kept free at the end of an invocation to store what was done. */
const spareMilliseconds = 20_000;

/** The Lambda of a queue: each record on its own, so that one bad message never repeats the rest. */
export function batchHandler<Message>(options: BatchOptions<Message>): QueueHandler {
  const handle = async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const deadline = new Date(
      Date.now() + Math.max(0, context.getRemainingTimeInMillis() - spareMilliseconds),
    );
    const outcomes = await Promise.all(
      event.Records.map((record) => workOn(record, deadline, options)),
    );
    return {
      batchItemFailures: event.Records.filter((_, n) => outcomes[n]?.outcome === "retry").map(
        (record) => ({ itemIdentifier: record.messageId }),
      ),
    };
  };
  return middy<SQSEvent, SQSBatchResponse>().handler(handle);
}

async function workOn<Message>(
  record: SQSRecord,
  deadline: Date,
  { schema, logger, work }: BatchOptions<Message>,
): Promise<Outcome> {
  const context = {
    message_id: record.messageId,
    attempt: record.attributes.ApproximateReceiveCount,
  };
  try {
    const message = safeParse(schema, JSON.parse(record.body));
    if (!message.success) {
      // It goes to the dead-letter queue, where somebody can read it, and not away.
      logger.error("message not understood", { ...context, issue: message.issues[0].message });
      return { outcome: "retry" };
    }
    return await work(message.output, deadline);
  } catch (error) {
    logger.error("message failed", { ...context, error: asError(error) });
    return { outcome: "retry" };
  }
}

const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
