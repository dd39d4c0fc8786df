import { describe, expect, it } from "vitest";
import {
  actionsOf,
  aliasIds,
  functionIds,
  propertiesOf,
  resourcesOf,
  statementsOf,
  synthesize,
} from "../synthesize.ts";

const { service } = synthesize("prod");
const sweeperId = functionIds(service).get("sweeper");
const aliasId = aliasIds(service).get("sweeper");
const roleId =
  Object.keys(resourcesOf(service, "AWS::IAM::Role")).find((id) =>
    id.startsWith("WorkersSweeperScheduleRole"),
  ) ?? "";

describe("the sweeper's schedule", () => {
  it("invokes the sweeper every minute, and does not retry a failed pass", () => {
    expect(propertiesOf(service, "AWS::Scheduler::Schedule")).toEqual([
      expect.objectContaining({
        ScheduleExpression: "rate(1 minute)",
        FlexibleTimeWindow: { Mode: "OFF" },
        State: "ENABLED",
        Target: expect.objectContaining({
          Arn: { Ref: aliasId },
          RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
        }),
      }),
    ]);
  });

  it("drops an invocation that waits in Lambda for over a minute", () => {
    expect(propertiesOf(service, "AWS::Lambda::EventInvokeConfig")).toEqual([
      {
        FunctionName: { Ref: sweeperId },
        Qualifier: { "Fn::Select": [7, { "Fn::Split": [":", { Ref: aliasId }] }] },
        MaximumEventAgeInSeconds: 60,
        MaximumRetryAttempts: 0,
      },
    ]);
  });

  it("assumes a role that can only invoke the alias of the sweeper and send to the dead-letter queue", () => {
    const allowed = statementsOf(service, roleId).map(
      (statement) => [actionsOf(statement), statement.Resource] as const,
    );

    expect(allowed).toEqual([
      [["lambda:InvokeFunction"], { Ref: aliasId }],
      [["sqs:SendMessage"], { "Fn::GetAtt": ["SweeperDeadLetterQueue", "Arn"] }],
    ]);
  });

  it("sends invocations that failed to start to a dead-letter queue with an alarm", () => {
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

  it("is created after its role has its permissions", () => {
    const [schedule] = Object.values(resourcesOf(service, "AWS::Scheduler::Schedule"));
    const { DependsOn } = schedule as unknown as { DependsOn: readonly string[] };
    const [policyId] = Object.entries(resourcesOf(service, "AWS::IAM::Policy"))
      .filter(([, { Properties }]) => JSON.stringify(Properties["Roles"]).includes(roleId))
      .map(([id]) => id);

    expect(DependsOn).toContain(policyId);
  });
});
