import { Aws, CfnOutput, Duration, RemovalPolicy } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import type { Stage } from "../config.ts";
import { pinLogicalId } from "../pin-logical-id.ts";
import { MonthlyBudget, monthlyBudgetOf } from "./monthly-budget.ts";

export interface AlarmTopicProps {
  readonly stage: Stage;
}

/**
 * The SNS topic of all alarms. It is encrypted, and only CloudWatch of this AWS account can publish
 * to it, over TLS. The topic is in the data stack, so that subscribers need not confirm again when
 * the service stack is replaced. The context key `alarmEmail` subscribes an address. Other
 * subscribers use the topic's ARN, which is a stack output. The context key `monthlyBudget` adds a
 * budget that notifies the topic.
 * @throws Error if one of these context values is invalid
 */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { stage }: AlarmTopicProps) {
    super(scope, id);
    const alarms = new ServicePrincipal("cloudwatch.amazonaws.com");
    const ofThisAccount = { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } };
    // A separate key is needed, because CloudWatch cannot use the AWS managed key of SNS.
    const key = new Key(this, "Key", {
      description: `Encrypts the alarms of the retail product data service, ${stage}.`,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
      pendingWindow: Duration.days(7),
    });
    pinLogicalId(key, "AlarmKey");
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [alarms],
        actions: ["kms:Decrypt", "kms:GenerateDataKey"],
        resources: ["*"],
        conditions: ofThisAccount,
      }),
    );
    this.topic = new Topic(this, "Topic", {
      displayName: `Retail product data, ${stage}`,
      masterKey: key,
      enforceSSL: true,
    });
    // The logical ID is pinned, because a replacement would lose subscriptions that were created
    // manually.
    pinLogicalId(this.topic, "AlarmTopic");
    // This policy replaces the default policy, which allows the whole account to publish.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid: "AlarmsOfThisAccount",
        principals: [alarms],
        actions: ["sns:Publish"],
        resources: [this.topic.topicArn],
        conditions: ofThisAccount,
      }),
    );
    const dollars = monthlyBudgetOf(this.node.tryGetContext("monthlyBudget"));
    if (dollars !== undefined) {
      new MonthlyBudget(this, "MonthlyBudget", { dollars, topic: this.topic, key });
    }
    const email = emailOf(this.node.tryGetContext("alarmEmail"));
    if (email !== undefined) this.topic.addSubscription(new EmailSubscription(email));
    new CfnOutput(this, "Arn", {
      value: this.topic.topicArn,
      description: "SNS topic of all alarms. Subscribe to it to receive them.",
    }).overrideLogicalId("AlarmTopicArn");
  }
}

/**
 * Returns the email address in the CDK context `alarmEmail`; undefined if the context is not set.
 * @throws Error if the context is set to a value that is not an email address
 */
function emailOf(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given === "string" && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(given)) return given;
  throw new Error(
    `Context key 'alarmEmail' must be an email address (got ${JSON.stringify(given)}).`,
  );
}
