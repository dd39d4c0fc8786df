import type { IAlarm } from "aws-cdk-lib/aws-cloudwatch";
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from "aws-cdk-lib/aws-codedeploy";
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { FunctionName } from "../../functions/environment.ts";
import { acknowledge } from "../acknowledgements.ts";
import type { Deployment } from "../config.ts";
import type { ServiceFunction } from "./service-function.ts";

/** The deployments that shift traffic gradually. */
export type Gradual = Exclude<Deployment, "all-at-once">;

export interface GradualDeploymentProps {
  readonly deployment: Gradual;
  readonly functions: readonly ServiceFunction<FunctionName>[];
  /** The alarms that roll back the deployment of a function. */
  readonly alarms: ReadonlyMap<FunctionName, readonly IAlarm[]>;
}

const configurations = {
  "canary-10-percent-5-minutes": LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  "linear-10-percent-every-1-minute": LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_1MINUTE,
} as const satisfies Record<Gradual, unknown>;

const managedPolicy = "service-role/AWSCodeDeployRoleForLambdaLimited";

/**
 * A gradual deployment with CodeDeploy: shifts the traffic of the functions' aliases from the
 * previous version to the new one. If an alarm starts, CodeDeploy shifts the traffic back, and
 * CloudFormation rolls back the whole stack.
 */
export class GradualDeployment extends Construct {
  constructor(scope: Construct, id: string, props: GradualDeploymentProps) {
    super(scope, id);
    const application = new LambdaApplication(this, "Application");
    const role = new Role(this, "Role", {
      description: "Allows CodeDeploy to update the aliases of the functions.",
      assumedBy: new ServicePrincipal("codedeploy.amazonaws.com"),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(managedPolicy)],
    });
    acknowledge(
      role,
      `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${managedPolicy}]`,
    );
    for (const { name, live } of props.functions) {
      new LambdaDeploymentGroup(this, name, {
        application,
        // Without `withoutPolicyUpdates`, each group adds the same managed policy to the role.
        role: role.withoutPolicyUpdates(),
        alias: live,
        deploymentConfig: configurations[props.deployment],
        alarms: [...(props.alarms.get(name) ?? [])],
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      });
    }
  }
}
