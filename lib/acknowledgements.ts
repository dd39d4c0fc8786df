import { Stack, Validations } from "aws-cdk-lib";
import type { IGrantable } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { IConstruct } from "constructs";

/** The rules of cdk-nag's AwsSolutions from which the service deviates, each with the reason. */
const reasons = {
  "AwsSolutions-APIG1":
    "The stage is configured without access logs, because the account may have no role with which " +
    "the gateway can write them. Functions log every request that they receive.",
  "AwsSolutions-APIG2":
    "Functions check every path, query and body against schemas, after the API key and the rate " +
    "limit. A model in the gateway would return its error before both, in another format.",
  "AwsSolutions-APIG4":
    "Functions check the API key, the rate limit and the account in one write. The gateway supports " +
    "10,000 keys at most, and does not count credits.",
  "AwsSolutions-APIG6": "Execution logs contain query strings, which may contain an API key.",
  "AwsSolutions-COG4": "Clients are programs with API keys; no users sign in.",
  "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]":
    "Every API of the account and region uses the role, and the gateway requires every action of " +
    "this policy.",
  "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]":
    "CodeDeploy requires every action of this policy, which AWS maintains for deployments of " +
    "functions.",
  "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]":
    "AWS Backup requires every action of this policy, which AWS maintains for backups of tables.",
  "AwsSolutions-S1":
    "Only the roles of the functions that use event bodies can access the bucket, and objects expire " +
    "after a month. A log bucket would need the same protection.",
  "AwsSolutions-SQS3": "The queue is a dead-letter queue.",
} as const;
export type AcknowledgedRule = keyof typeof reasons;

/**
 * Acknowledges rules of cdk-nag that a construct violates, with the reasons. Findings of these
 * rules then do not fail the synthesis.
 */
export function acknowledge(scope: IConstruct, ...rules: readonly AcknowledgedRule[]): void {
  Validations.of(scope).acknowledge(...rules.map((id) => ({ id, reason: reasons[id] })));
}

/**
 * Acknowledges that the API of a stage has no firewall.
 * @param reason sentence with the reason. Default: a stage without customers has no firewall,
 * because of the monthly cost of a firewall
 */
export function acknowledgeNoFirewall(
  scope: IConstruct,
  reason = "A firewall costs money each month, so a stage without customers has none by default.",
): void {
  Validations.of(scope).acknowledge({ id: "AwsSolutions-APIG3", reason });
}

/** The wildcards in the resources of role policies, each with its reason. */
const wildcards = {
  eventBodies: "Runs write event bodies as objects, whose keys are not known at deployment.",
  customerRoles:
    "Customers create the roles for their exports, with any name in any account. Each role requires " +
    "the customer's external ID, and roles of this account are denied.",
  watchlistSchedules:
    "Each watchlist has a schedule, whose name is the ID of the watchlist. The group has no other schedules.",
  operatorStacks: "CloudFormation ends the ARN of a stack with a random ID.",
  operatorQueues:
    "CloudFormation ends the names of the queues with random characters, and the queues are in the " +
    "service stack, which depends on the data stack.",
  operatorBackups: "DynamoDB gives each backup a random ID.",
  operatorLists:
    "DynamoDB and CloudFormation accept no resource for these actions, which only list and describe.",
} as const;
export type Wildcard = keyof typeof wildcards;

/**
 * Acknowledges cdk-nag's finding about a wildcard in the resource of a permission, on the role that
 * gets the permission.
 * @throws Error if the grantee is not a role of the app, or if the ARN has an unknown form
 */
export function explainWildcard(
  { grantPrincipal }: IGrantable,
  wildcard: Wildcard,
  resourceArn: string,
): void {
  if (!Construct.isConstruct(grantPrincipal)) {
    throw new Error(
      `The reason for the wildcard permission '${wildcard}' cannot be attached, because its grantee is not a construct of this app. Grant the permission to a role that the app creates.`,
    );
  }
  Validations.of(grantPrincipal).acknowledge({
    id: `AwsSolutions-IAM5[Resource::${formatArn(Stack.of(grantPrincipal).resolve(resourceArn))}]`,
    reason: wildcards[wildcard],
  });
}

/**
 * Formats an ARN as cdk-nag does: `<Queue.Arn>` for an attribute, `<AWS::Region>` for a reference,
 * JSON for the output of a stack.
 * @throws Error if the ARN has another form
 */
function formatArn(arn: unknown): string {
  if (typeof arn === "string") return arn;
  const [[intrinsic, argument] = []] = Object.entries(Object(arn));
  const parts: readonly unknown[] = Array.isArray(argument) ? argument : [argument];
  if (intrinsic === "Ref" || intrinsic === "Fn::GetAtt") return `<${parts.join(".")}>`;
  if (intrinsic === "Fn::GetStackOutput") return JSON.stringify(arn);
  const [separator, texts] = parts;
  if (intrinsic !== "Fn::Join" || !Array.isArray(texts)) {
    throw new Error(
      `An ARN with a wildcard must be a string, Ref, Fn::GetAtt, Fn::GetStackOutput or Fn::Join (got ${JSON.stringify(arn)}).`,
    );
  }
  return texts.map(formatArn).join(String(separator));
}

/** The rules of cfn-lint that `npm run lint:templates` ignores, each with the reason. */
export const cfnLintReasons: Readonly<Record<string, string>> = {
  W3005: "The CDK adds a dependency on a role to a function that already references the role.",
};

/** The rules of checkov from which the templates deviate, each with the reason. */
export const checkovReasons: Readonly<Record<string, string>> = {
  CKV_AWS_18:
    "Only the roles of the functions that use event bodies can access the bucket, and objects expire " +
    "after a month. A log bucket would need the same protection.",
  CKV_AWS_21:
    "An event body is written once and never changes, and expires after a month. An older version " +
    "would only be a copy of a body that should have expired.",
  CKV_AWS_27:
    "SQS encrypts the queues with its own key. Messages contain IDs of resources and items, and no secrets.",
  CKV_AWS_59:
    "Functions check the API key, the rate limit and the account in one write. Public paths, such as " +
    "the documentation, need no key.",
  CKV_AWS_73:
    "The log lines of a call, run and delivery share IDs, so that one query follows them. Traces would " +
    "cost $5 for a million calls.",
  CKV_AWS_76:
    "The stage is configured without access logs, because the account may have no role with which " +
    "the gateway can write them. Functions log every request that they receive.",
  CKV_AWS_115:
    "Functions that wait for sources or customers, and workers, have a reserved share in prod. The other " +
    "functions respond in milliseconds and share the rest. An account with a low quota cannot reserve anything.",
  CKV_AWS_116:
    "The gateway and the queues invoke the functions and handle failures: the queues have dead-letter " +
    "queues, and so has the schedule of the sweeper.",
  CKV_AWS_117:
    "The functions use public endpoints of AWS, sources and customers only. A VPC would add a NAT " +
    "gateway and protect nothing.",
  CKV_AWS_119:
    "DynamoDB encrypts the tables with a key that AWS manages. Secrets of customers are encrypted with " +
    "the service's own key before they are stored.",
  CKV_AWS_120:
    "Responses depend on the account and change with each call. A cache would return outdated data.",
  CKV_AWS_158:
    "CloudWatch encrypts all logs with its own key. Log lines contain no keys, secrets or bodies.",
  CKV_AWS_166:
    "AWS Backup encrypts the vault with a key that AWS manages, as DynamoDB does with the tables. " +
    "Secrets of customers are encrypted with the service's own key before they are stored.",
  CKV_AWS_173: "The variables contain names and addresses of resources, and no secrets.",
};
