import { Aws, CfnOutput, Duration, RemovalPolicy } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import type { Stage } from "../config.ts";
import { pinLogicalId } from "../pin-logical-id.ts";

export interface AlarmTopicProps {
  readonly stage: Stage;
}

/**
 * Where alarms are told, in the stack that stays, as those who confirmed their addresses would have
 * to do so again: an encrypted topic that only CloudWatch of this account publishes to, over
 * TLS. Context `alarmEmail` subscribes an address; anything else may be subscribed by the topic's ARN,
 * which the stack's outputs name.
 */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { stage }: AlarmTopicProps) {
    super(scope, id);
    const alarms = new ServicePrincipal("cloudwatch.amazonaws.com");
    // CloudWatch may not use the key that SNS would bring along.
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
      }),
    );
    this.topic = new Topic(this, "Topic", {
      displayName: `Retail product data, ${stage}`,
      masterKey: key,
      enforceSSL: true,
    });
    // Whoever subscribed by hand would have to do so again.
    pinLogicalId(this.topic, "AlarmTopic");
    // A policy takes the place of the one by which the account may publish.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid: "AlarmsOfThisAccount",
        principals: [alarms],
        actions: ["sns:Publish"],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
    );
    const email = emailOf(this.node.tryGetContext("alarmEmail"));
    if (email !== undefined) this.topic.addSubscription(new EmailSubscription(email));
    new CfnOutput(this, "Arn", {
      value: this.topic.topicArn,
      description: "Subscribe here to what the alarms say.",
    }).overrideLogicalId("AlarmTopicArn");
  }
}

/** @throws Error when something is given that is no address */
function emailOf(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given === "string" && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(given)) return given;
  throw new Error("Context 'alarmEmail' must be an e-mail address.");
}
