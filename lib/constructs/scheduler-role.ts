import { Stack } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";

/** Creates a role that only the schedules of one group of this AWS account can assume. */
export function schedulerRole(scope: Construct, scheduleGroupArn: string): Role {
  return new Role(scope, "Role", {
    description: "Allows the schedules of one group to invoke their targets.",
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
