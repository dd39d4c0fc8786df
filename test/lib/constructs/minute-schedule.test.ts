import { describe, expect, it } from "vitest";
import {
  actionsOf,
  functionIds,
  propertiesOf,
  resourcesOf,
  statementsOf,
  synthesize,
} from "../synthesize.ts";

const { service } = synthesize("prod");
const sweeperId = functionIds(service).get("sweeper");
const roleId =
  Object.keys(resourcesOf(service, "AWS::IAM::Role")).find((id) =>
    id.startsWith("WorkersSweeperScheduleRole"),
  ) ?? "";

describe("the sweeper's schedule", () => {
  it("fires every minute, and repeats no failed minute", () => {
    expect(propertiesOf(service, "AWS::Scheduler::Schedule")).toEqual([
      expect.objectContaining({
        ScheduleExpression: "rate(1 minute)",
        FlexibleTimeWindow: { Mode: "OFF" },
        State: "ENABLED",
        Target: expect.objectContaining({
          Arn: { "Fn::GetAtt": [sweeperId, "Arn"] },
          RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
        }),
      }),
    ]);
  });

  it("lets no sweep wait in Lambda until it is outdated", () => {
    expect(propertiesOf(service, "AWS::Lambda::EventInvokeConfig")).toEqual([
      {
        FunctionName: { Ref: sweeperId },
        Qualifier: "$LATEST",
        MaximumEventAgeInSeconds: 60,
        MaximumRetryAttempts: 0,
      },
    ]);
  });

  it("takes on a role that can invoke the sweeper, no version of it, and say that it could not", () => {
    const allowed = statementsOf(service, roleId).map(
      (statement) => [actionsOf(statement), statement.Resource] as const,
    );

    expect(allowed).toEqual([
      [["lambda:InvokeFunction"], { "Fn::GetAtt": [sweeperId, "Arn"] }],
      [["sqs:SendMessage"], { "Fn::GetAtt": ["SweeperDeadLetterQueue", "Arn"] }],
    ]);
  });

  it("sends sweeps that it could not start to a dead-letter queue with an alarm", () => {
    const [schedule] = Object.values(resourcesOf(service, "AWS::Scheduler::Schedule"));
    expect(schedule?.Properties["Target"]).toMatchObject({
      DeadLetterConfig: { Arn: { "Fn::GetAtt": ["SweeperDeadLetterQueue", "Arn"] } },
    });
    const queue = resourcesOf(service, "AWS::SQS::Queue")["SweeperDeadLetterQueue"];
    expect(queue?.Properties["MessageRetentionPeriod"]).toBe(24 * 60 * 60);
    expect(propertiesOf(service, "AWS::CloudWatch::Alarm")).toContainEqual(
      expect.objectContaining({
        Dimensions: [
          { Name: "QueueName", Value: { "Fn::GetAtt": ["SweeperDeadLetterQueue", "QueueName"] } },
        ],
        AlarmDescription: expect.stringContaining("expired holds are not released."),
      }),
    );
  });

  it("does not fire before its role has its permissions", () => {
    const [schedule] = Object.values(resourcesOf(service, "AWS::Scheduler::Schedule"));
    const { DependsOn } = schedule as unknown as { DependsOn: readonly string[] };
    const [policyId] = Object.entries(resourcesOf(service, "AWS::IAM::Policy"))
      .filter(([, { Properties }]) => JSON.stringify(Properties["Roles"]).includes(roleId))
      .map(([id]) => id);

    expect(DependsOn).toContain(policyId);
  });
});
