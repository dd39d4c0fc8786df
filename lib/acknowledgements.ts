import { Stack, Validations } from "aws-cdk-lib";
import type { IGrantable } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { IConstruct } from "constructs";

/** Why a rule of cdk-nag's AwsSolutions does not apply where it is acknowledged. */
const reasons = {
  "AwsSolutions-APIG1":
    "The stage is configured without access logs: the account may have no role by which the " +
    "gateway could write them. Functions log every request that reaches them.",
  "AwsSolutions-APIG2":
    "Functions check every path, query and body against schemas, after the API key and the rate " +
    "limit; a model in the gateway would answer before both, in another shape.",
  "AwsSolutions-APIG3":
    "A firewall costs by the request and is a choice of the deployer: -c waf=true.",
  "AwsSolutions-APIG4":
    "Functions check API keys themselves, with the rate limit and the account in one write. The " +
    "gateway's own keys end at 10,000 and know no credits.",
  "AwsSolutions-APIG6": "Execution logs hold query strings, where callers may put their API key.",
  "AwsSolutions-COG4": "The API serves programs with API keys; there are no people to sign in.",
  "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]":
    "The role serves every API of the account and region; the gateway refuses one that lacks any " +
    "action of this policy.",
  "AwsSolutions-S1":
    "Only three functions reach the bucket, each by a role of its own, and objects leave after a " +
    "month; a log bucket would need the same care without telling more.",
  "AwsSolutions-SQS3": "The queue takes what was given up: it is the end of the line.",
} as const;
export type AcknowledgedRule = keyof typeof reasons;

/** Says on a construct why a rule is not kept by it. */
export function acknowledge(scope: IConstruct, ...rules: readonly AcknowledgedRule[]): void {
  Validations.of(scope).acknowledge(...rules.map((id) => ({ id, reason: reasons[id] })));
}

/** Every resource with a wildcard that any role may touch: why it cannot be named in full. */
const wildcards = {
  eventBodies: "Event bodies are objects that runs write; their keys are not known before.",
  customerRoles:
    "Customers make the roles for their exports, under any name in any account. Each asks for the " +
    "customer's external id, and roles of this account are denied.",
  watchlistSchedules:
    "Each watchlist has a schedule, named by its id. The group holds no other schedules.",
} as const;
export type Wildcard = keyof typeof wildcards;

/** Explains a wildcard resource on the role that gets it. */
export function explainWildcard(
  { grantPrincipal }: IGrantable,
  wildcard: Wildcard,
  resourceArn: string,
): void {
  if (!Construct.isConstruct(grantPrincipal)) throw new Error("Only roles of the app get grants.");
  Validations.of(grantPrincipal).acknowledge({
    id: `AwsSolutions-IAM5[Resource::${printed(Stack.of(grantPrincipal).resolve(resourceArn))}]`,
    reason: wildcards[wildcard],
  });
}

/** An ARN in the words of a finding: `<Queue.Arn>` for an attribute, `<AWS::Region>` for a reference. */
function printed(arn: unknown): string {
  if (typeof arn === "string") return arn;
  const [[intrinsic, argument] = []] = Object.entries(Object(arn));
  const parts: readonly unknown[] = Array.isArray(argument) ? argument : [argument];
  if (intrinsic === "Ref" || intrinsic === "Fn::GetAtt") return `<${parts.join(".")}>`;
  if (intrinsic === "Fn::ImportValue") return String(argument);
  const [separator, texts] = parts;
  if (intrinsic !== "Fn::Join" || !Array.isArray(texts)) {
    throw new Error(`No finding prints ${JSON.stringify(arn)}.`);
  }
  return texts.map(printed).join(String(separator));
}
