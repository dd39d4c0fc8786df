import { Stack } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";

/** A role that only the schedules of one group of this account can take on. */
export function schedulerRole(scope: Construct, scheduleGroupArn: string): Role {
  return new Role(scope, "Role", {
    description: "What the schedules of one group may send.",
    assumedBy: new ServicePrincipal("scheduler.amazonaws.com", {
      conditions: {
        StringEquals: {
          "aws:SourceAccount": Stack.of(scope).account,
          "aws:SourceArn": scheduleGroupArn,
        },
      },
    }),
  });
}
