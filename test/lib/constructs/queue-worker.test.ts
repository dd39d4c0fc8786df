import { describe, expect, it } from "vitest";
import {
  aliasIds,
  documentOf,
  functionIds,
  propertiesOf,
  resourcesOf,
  synthesize,
} from "../synthesize.ts";

const { service } = synthesize("prod");
const queues = resourcesOf(service, "AWS::SQS::Queue");

/** Returns a part of the ARN of a function's alias. */
const partOfArn = (index: number, name: string): unknown => ({
  "Fn::Select": [index, { "Fn::Split": [":", { Ref: aliasIds(service).get(name) }] }],
});

describe.each([
  { id: "Runs", name: "run-starter", timeout: 60, batchSize: 5, receives: 5 },
  { id: "Steps", name: "run-step", timeout: 180, batchSize: 1, receives: 5 },
  { id: "Finishes", name: "run-finisher", timeout: 300, batchSize: 1, receives: 5 },
  { id: "Deliveries", name: "delivery", timeout: 300, batchSize: 10, receives: 5 },
])("the queue of the worker $name", ({ id, name, timeout, batchSize, receives }) => {
  const functionId = functionIds(service).get(name) ?? "";

  it("hides a message for six times the function's timeout", () => {
    const worker = resourcesOf(service, "AWS::Lambda::Function")[functionId];

    expect(worker?.Properties["Timeout"]).toBe(timeout);
    expect(queues[`${id}Queue`]?.Properties["VisibilityTimeout"]).toBe(6 * timeout);
  });

  it("moves a message to its dead-letter queue after five failed attempts, and keeps it there for at least ten days", () => {
    // SQS counts the retention period of a dead letter from when its message was first sent. After
    // up to 4 days in the worker's queue, at least 10 of the 14 days are left.
    expect(queues[`${id}Queue`]?.Properties["MessageRetentionPeriod"]).toBe(4 * 24 * 60 * 60);
    expect(queues[`${id}Queue`]?.Properties["RedrivePolicy"]).toEqual({
      deadLetterTargetArn: { "Fn::GetAtt": [`${id}DeadLetterQueue`, "Arn"] },
      maxReceiveCount: receives,
    });
    expect(queues[`${id}DeadLetterQueue`]?.Properties["MessageRetentionPeriod"]).toBe(
      14 * 24 * 60 * 60,
    );
  });

  it("gets back only the failed messages of a batch, and limits the worker's concurrency", () => {
    expect(propertiesOf(service, "AWS::Lambda::EventSourceMapping")).toContainEqual(
      expect.objectContaining({
        FunctionName: { "Fn::Join": ["", [partOfArn(6, name), ":live"]] },
        EventSourceArn: { "Fn::GetAtt": [`${id}Queue`, "Arn"] },
        BatchSize: batchSize,
        FunctionResponseTypes: ["ReportBatchItemFailures"],
        ScalingConfig: { MaximumConcurrency: expect.anything() },
      }),
    );
  });

  it("has an alarm for the first dead letter, and the alarm's description states the consequence", () => {
    expect(propertiesOf(service, "AWS::CloudWatch::Alarm")).toContainEqual(
      expect.objectContaining({
        Namespace: "AWS/SQS",
        MetricName: "ApproximateNumberOfMessagesVisible",
        Dimensions: [
          { Name: "QueueName", Value: { "Fn::GetAtt": [`${id}DeadLetterQueue`, "QueueName"] } },
        ],
        Threshold: 1,
        ComparisonOperator: "GreaterThanOrEqualToThreshold",
        AlarmDescription: expect.stringMatching(/^[A-Z].+\.\n/),
      }),
    );
  });
});

describe("every queue", () => {
  it("is encrypted and refuses requests that are not encrypted in transit", () => {
    const policies = Object.values(resourcesOf(service, "AWS::SQS::QueuePolicy"));
    const covered = policies.flatMap(({ Properties }) =>
      (Properties["Queues"] as { Ref: string }[]).map(({ Ref }) => Ref),
    );

    expect(covered.sort()).toEqual(Object.keys(queues).sort());
    for (const { Properties } of policies) {
      expect(documentOf(Properties["PolicyDocument"])).toContainEqual(
        expect.objectContaining({
          Effect: "Deny",
          Condition: { Bool: { "aws:SecureTransport": "false" } },
        }),
      );
    }
    for (const properties of propertiesOf(service, "AWS::SQS::Queue")) {
      expect(properties).toMatchObject({ SqsManagedSseEnabled: true });
    }
  });

  it("has an alarm if it is a dead-letter queue", () => {
    const deadLetterQueues = Object.keys(queues).filter((id) => id.endsWith("DeadLetterQueue"));

    const alarms = propertiesOf(service, "AWS::CloudWatch::Alarm").map((alarm) =>
      JSON.stringify(alarm["Dimensions"] ?? ""),
    );
    for (const id of deadLetterQueues) {
      expect(alarms.filter((dimensions) => dimensions.includes(`"${id}"`))).toHaveLength(1);
    }
  });
});
