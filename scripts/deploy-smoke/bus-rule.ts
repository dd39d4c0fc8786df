import {
  DeleteRuleCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from "@aws-sdk/client-eventbridge";
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { busSource } from "../../shared/event-bus/event-bus.ts";

const Name = "deploy-smoke";
const targetId = "queue";

/** An event as a rule sends it to a queue. */
const busEvent = v.object({
  source: v.string(),
  "detail-type": v.string(),
  resources: v.array(v.string()),
  detail: v.record(v.string(), v.unknown()),
});
export type BusEvent = v.InferOutput<typeof busEvent>;

/** A rule of an event bus that sends all events of the service to a queue. */
export interface BusRule {
  /** Removes all messages from the queue, and returns the events that arrived so far. */
  received(): Promise<readonly BusEvent[]>;
  /** Deletes the rule and the queue. CloudFormation can delete the bus only without rules. */
  remove(): Promise<void>;
}

/** Creates a queue, and a rule that sends all events of the service on the bus to this queue. */
export async function createBusRule(busName: string): Promise<BusRule> {
  const sqs = new SQSClient({});
  const bus = new EventBridgeClient({});
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: `${Name}-events` }));
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }),
  );
  const Arn = Attributes?.QueueArn;
  const rule = { Name, EventBusName: busName };
  const EventPattern = JSON.stringify({ source: [busSource] });
  const { RuleArn } = await bus.send(new PutRuleCommand({ ...rule, EventPattern }));
  const Policy = JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { Service: "events.amazonaws.com" },
        Action: "sqs:SendMessage",
        Resource: Arn,
        Condition: { ArnEquals: { "aws:SourceArn": RuleArn } },
      },
    ],
  });
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  const target = { Rule: Name, EventBusName: busName };
  await bus.send(new PutTargetsCommand({ ...target, Targets: [{ Id: targetId, Arn }] }));
  const events: BusEvent[] = [];
  return {
    async received() {
      for (;;) {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
        );
        if (Messages.length === 0) return events;
        events.push(...Messages.map(({ Body = "" }) => v.parse(busEvent, JSON.parse(Body))));
        const Entries = Messages.map(({ ReceiptHandle }, n) => ({ Id: `${n}`, ReceiptHandle }));
        await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      }
    },
    async remove() {
      await bus.send(new RemoveTargetsCommand({ ...target, Ids: [targetId] }));
      await bus.send(new DeleteRuleCommand(rule));
      await sqs.send(new DeleteQueueCommand({ QueueUrl }));
      bus.destroy();
      sqs.destroy();
    },
  };
}
