import { describe, expect, it } from "vitest";
import {
  actionsOf,
  functionIds,
  propertiesOf,
  resourcesOf,
  roleIdOf,
  statementsOf,
  synthesize,
} from "../synthesize.ts";
import type { Statement } from "../synthesize.ts";

const { service } = synthesize("prod");

function grantsOf(name: string): readonly Statement[] {
  const found = resourcesOf(service, "AWS::Lambda::Function")[functionIds(service).get(name) ?? ""];
  return found === undefined ? [] : statementsOf(service, roleIdOf(found.Properties));
}

function statementFor(name: string, action: string): Statement | undefined {
  return grantsOf(name).find((statement) => actionsOf(statement).includes(action));
}

describe("the watchlists' schedules", () => {
  it("are in a separate schedule group that is named after the stage", () => {
    expect(propertiesOf(service, "AWS::Scheduler::ScheduleGroup")).toContainEqual(
      expect.objectContaining({
        Name: "retail-product-data-prod",
      }),
    );
  });

  it("send messages to the runs queue with a role that only schedules of this group can assume", () => {
    const [roleId = "", role] =
      Object.entries(resourcesOf(service, "AWS::IAM::Role")).find(([id]) =>
        id.startsWith("RunSchedulesRole"),
      ) ?? [];

    expect(role?.Properties["AssumeRolePolicyDocument"]).toMatchObject({
      Statement: [
        {
          Principal: { Service: "scheduler.amazonaws.com" },
          Condition: {
            StringEquals: {
              "aws:SourceArn": { "Fn::GetAtt": ["WatchlistSchedules", "Arn"] },
              "aws:SourceAccount": { Ref: "AWS::AccountId" },
            },
          },
        },
      ],
    });
    expect(statementsOf(service, roleId)).toEqual([
      {
        Effect: "Allow",
        Action: "sqs:SendMessage",
        Resource: { "Fn::GetAtt": ["RunsQueue", "Arn"] },
      },
    ]);
  });

  it.each([
    ["the watchlists function", "watchlists"],
    // The run starter restores missing schedules and removes superfluous schedules.
    ["the run starter", "run-starter"],
  ])(
    "can be managed by the function that changes them (%s), but their role can be passed only to EventBridge Scheduler",
    (_, name) => {
      const manage = statementFor(name, "scheduler:CreateSchedule");
      const pass = statementFor(name, "iam:PassRole");

      expect(manage?.Action).toEqual([
        "scheduler:CreateSchedule",
        "scheduler:DeleteSchedule",
        "scheduler:GetSchedule",
        "scheduler:UpdateSchedule",
      ]);
      expect(JSON.stringify(manage?.Resource)).toContain(":schedule/retail-product-data-prod/*");
      expect(pass?.Condition).toEqual({
        StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" },
      });
      expect(JSON.stringify(pass?.Resource)).toContain("RunSchedulesRole");
    },
  );
});
