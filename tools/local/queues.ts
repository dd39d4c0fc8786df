import {
  CreateQueueCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import * as v from "valibot";
import type { LocalName } from "./local-names.ts";
import type { QueueServer } from "./queue-server.ts";
import type { ResolvedTemplates } from "./template.ts";

const attribute = v.exactOptional(
  v.pipe(v.union([v.number(), v.boolean(), v.string()]), v.transform(String)),
);

/**
 * The queue attributes that the local world supports. Encryption and policies have no local effect.
 */
const queueProperties = v.object({
  VisibilityTimeout: attribute,
  DelaySeconds: attribute,
  MaximumMessageSize: attribute,
  MessageRetentionPeriod: attribute,
  ReceiveMessageWaitTimeSeconds: attribute,
  ContentBasedDeduplication: attribute,
  RedrivePolicy: v.exactOptional(
    v.pipe(
      v.object({ deadLetterTargetArn: v.string(), maxReceiveCount: v.number() }),
      v.transform((policy) => JSON.stringify(policy)),
    ),
  ),
});
const fixedAtCreation = v.object({ FifoQueue: attribute });

/**
 * Creates the queues of the templates, unless they exist. Also updates their attributes, and makes
 * messages visible again that were in flight when the previous process ended.
 */
export async function createQueues(
  templates: ResolvedTemplates,
  server: QueueServer,
): Promise<void> {
  const client = new SQSClient({});
  try {
    for (const { local, properties } of templates.ofType("AWS::SQS::Queue")) {
      await createQueue(client, local, properties);
      await server.releaseInFlight(local.ref);
    }
  } finally {
    client.destroy();
  }
}

async function createQueue(
  client: SQSClient,
  { ref, attributes: { QueueName } }: LocalName,
  properties: unknown,
): Promise<void> {
  const attributes = v.parse(queueProperties, properties);
  if (await exists(client, QueueName)) {
    await client.send(new SetQueueAttributesCommand({ QueueUrl: ref, Attributes: attributes }));
    return;
  }
  const fixed = v.parse(fixedAtCreation, properties);
  await client.send(new CreateQueueCommand({ QueueName, Attributes: { ...attributes, ...fixed } }));
}

async function exists(client: SQSClient, name: string | undefined): Promise<boolean> {
  try {
    await client.send(new GetQueueUrlCommand({ QueueName: name }));
    return true;
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return false;
    throw error;
  }
}
