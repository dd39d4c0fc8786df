import { setTimeout as delay } from "node:timers/promises";
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { Message } from "@aws-sdk/client-sqs";
import type { SQSRecord } from "aws-lambda";
import * as v from "valibot";
import { describeError } from "./lambda-host.ts";
import type { LambdaHost, LocalFunction } from "./lambda-host.ts";
import type { Log } from "./log.ts";
import { localAccount } from "./template.ts";
import type { ResolvedTemplates } from "./template.ts";

/** The pollers that call functions with the messages of queues. */
export interface QueuePollers {
  /** Stops receiving, and waits for the batches in flight. */
  readonly stop: () => Promise<void>;
}

interface PollerOptions {
  readonly templates: ResolvedTemplates;
  readonly host: LambdaHost;
  readonly log: Log;
}

interface Mapping {
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly target: LocalFunction;
  readonly batchSize: number;
  readonly concurrencyMax: number;
  readonly reportsFailures: boolean;
}

/** SQS's limits for one receive call: messages, and seconds of waiting. */
const receiveMax = 10;
const waitSeconds = 20;
/** The concurrency of an event source mapping that sets no `MaximumConcurrency`. */
const concurrencyDefault = 5;
const batchSizeDefault = 10;
const retryMilliseconds = 1_000;

/**
 * Starts to poll the queues in the templates' event source mappings, and to call the mapped
 * functions with the messages.
 * @throws Error if a queue or function does not exist, or if a queue's visibility timeout is too
 * short
 */
export async function startQueuePollers(options: PollerOptions): Promise<QueuePollers> {
  const client = new SQSClient({});
  const stopping = new AbortController();
  const mappings = options.templates
    .ofType("AWS::Lambda::EventSourceMapping", mappingProperties)
    .filter(({ properties }) => properties.Enabled)
    .map(({ properties }) => mappingOf(properties, options));
  await Promise.all(mappings.map(async (mapping) => assertVisible(client, mapping)));
  const polls = mappings.map(async (mapping) =>
    poll({ client, mapping, stopping: stopping.signal, log: options.log }),
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all(polls);
      client.destroy();
    },
  };
}

const mappingProperties = v.object({
  EventSourceArn: v.string(),
  FunctionName: v.string(),
  BatchSize: v.optional(v.number(), batchSizeDefault),
  Enabled: v.optional(v.boolean(), true),
  FunctionResponseTypes: v.optional(v.array(v.string()), []),
  ScalingConfig: v.optional(
    v.object({ MaximumConcurrency: v.optional(v.number(), concurrencyDefault) }),
    {},
  ),
});

function mappingOf(
  properties: v.InferOutput<typeof mappingProperties>,
  options: PollerOptions,
): Mapping {
  const queueArn = properties.EventSourceArn;
  const queue = options.templates
    .ofType("AWS::SQS::Queue")
    .find((candidate) => candidate.local.attributes["Arn"] === queueArn);
  if (!queue)
    throw new Error(
      `No template creates the queue ${queueArn}. Check the EventSourceArn of its event source mapping.`,
    );
  return {
    queueUrl: queue.local.ref,
    queueArn,
    target: options.host.byReference(properties.FunctionName),
    batchSize: properties.BatchSize,
    concurrencyMax: properties.ScalingConfig.MaximumConcurrency,
    reportsFailures: properties.FunctionResponseTypes.includes("ReportBatchItemFailures"),
  };
}

/**
 * Throws if a queue's visibility timeout is shorter than the function's timeout. SQS would deliver
 * messages again while the function still runs, and AWS rejects such a mapping.
 */
async function assertVisible(client: SQSClient, mapping: Mapping): Promise<void> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: mapping.queueUrl,
      AttributeNames: ["VisibilityTimeout"],
    }),
  );
  if (Number(Attributes?.["VisibilityTimeout"]) < mapping.target.timeoutSeconds) {
    throw new Error(
      `The visibility timeout of the queue ${mapping.queueUrl} must be at least ${mapping.target.timeoutSeconds} s, ` +
        `the timeout of the function ${mapping.target.name} (got ${Attributes?.["VisibilityTimeout"]} s). Correct the template.`,
    );
  }
}

interface Poll {
  readonly client: SQSClient;
  readonly mapping: Mapping;
  readonly stopping: AbortSignal;
  readonly log: Log;
}

async function poll(polling: Poll): Promise<void> {
  const running = new Set<Promise<void>>();
  while (!polling.stopping.aborted) {
    if (running.size >= polling.mapping.concurrencyMax) await Promise.race(running);
    const messages = await receive(polling);
    if (messages.length === 0) continue;
    const batch: Promise<void> = work(polling, messages).finally(() => running.delete(batch));
    running.add(batch);
  }
  await Promise.all(running);
}

async function receive({ client, mapping, stopping, log }: Poll): Promise<readonly Message[]> {
  try {
    const { Messages } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: mapping.queueUrl,
        MaxNumberOfMessages: Math.min(receiveMax, mapping.batchSize),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
      }),
      { abortSignal: stopping },
    );
    return Messages ?? [];
  } catch (error) {
    if (stopping.aborted) return [];
    log(`queue ${mapping.queueUrl}: ${describeError(error)}`);
    await delay(retryMilliseconds, undefined, { signal: stopping }).catch(() => {});
    return [];
  }
}

/**
 * Calls the function with a batch and deletes the successful messages. Failed messages stay in the
 * queue, which delivers them again or moves them to the dead-letter queue.
 */
async function work(polling: Poll, messages: readonly Message[]): Promise<void> {
  const { client, mapping, log } = polling;
  try {
    const records = messages.map((message) => recordOf(message, mapping.queueArn));
    const result = await mapping.target.invoke({ Records: records });
    const failed = mapping.reportsFailures ? failuresOf(result, messages) : new Set<string>();
    const done = messages.filter((message) => !failed.has(message.MessageId ?? ""));
    if (done.length === 0) return;
    await client.send(
      new DeleteMessageBatchCommand({
        QueueUrl: mapping.queueUrl,
        Entries: done.map((message, i) => ({ Id: `${i}`, ReceiptHandle: message.ReceiptHandle })),
      }),
    );
  } catch (error) {
    log(`function ${mapping.target.name} failed: ${describeError(error)}`);
  }
}

const batchResponse = v.object({
  batchItemFailures: v.nullish(v.array(v.object({ itemIdentifier: v.string() })), []),
});

/**
 * Returns the message IDs that a function reported as failed. An invalid report, or one with a
 * message ID outside the batch, fails the whole batch, as in Lambda.
 */
function failuresOf(result: unknown, messages: readonly Message[]): ReadonlySet<string> {
  const all = new Set(messages.map((message) => message.MessageId ?? ""));
  const report = v.safeParse(v.nullish(batchResponse, {}), result);
  if (!report.success) return all;
  const failed = report.output.batchItemFailures.map((failure) => failure.itemIdentifier);
  return failed.every((id) => all.has(id)) ? new Set(failed) : all;
}

function recordOf(message: Message, queueArn: string): SQSRecord {
  return {
    messageId: message.MessageId ?? "",
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    attributes: attributesOf(message),
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, attribute]) => [
        name,
        {
          dataType: attribute.DataType ?? "String",
          ...(attribute.StringValue === undefined ? {} : { stringValue: attribute.StringValue }),
        },
      ]),
    ),
    md5OfBody: message.MD5OfBody ?? "",
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: localAccount.region,
  };
}

function attributesOf({ Attributes: given = {} }: Message): SQSRecord["attributes"] {
  return {
    ...given,
    ApproximateReceiveCount: given.ApproximateReceiveCount ?? "1",
    SentTimestamp: given.SentTimestamp ?? "0",
    SenderId: given.SenderId ?? "",
    ApproximateFirstReceiveTimestamp: given.ApproximateFirstReceiveTimestamp ?? "0",
  };
}
