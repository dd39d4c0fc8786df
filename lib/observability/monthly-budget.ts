import { Aws, Stack } from "aws-cdk-lib";
import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Key } from "aws-cdk-lib/aws-kms";
import type { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";

export interface MonthlyBudgetProps {
  /** The budget for a month, in US dollars. */
  readonly dollars: number;
  /** The topic that is notified, and the key that encrypts it. */
  readonly topic: Topic;
  readonly key: Key;
}

/** The shares of the budget at which the topic is notified, in percent. */
const notifications = [
  { type: "ACTUAL", percent: 80 },
  { type: "ACTUAL", percent: 100 },
  { type: "FORECASTED", percent: 100 },
] as const;

/**
 * A monthly budget for the costs of the AWS account, which notifies the alarm topic. It covers the
 * whole account instead of one stage, because costs have the tags of a stage only after the owner
 * of the account activates the tags as cost allocation tags.
 */
export class MonthlyBudget extends Construct {
  constructor(scope: Construct, id: string, { dollars, topic, key }: MonthlyBudgetProps) {
    super(scope, id);
    const principals = [new ServicePrincipal("budgets.amazonaws.com")];
    const conditions = {
      StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID },
      ArnLike: { "aws:SourceArn": `arn:${Aws.PARTITION}:budgets::${Aws.ACCOUNT_ID}:*` },
    };
    key.addToResourcePolicy(
      new PolicyStatement({
        principals,
        actions: ["kms:Decrypt", "kms:GenerateDataKey"],
        resources: ["*"],
        conditions,
      }),
    );
    const { policyDependable } = topic.addToResourcePolicy(
      new PolicyStatement({
        sid: "BudgetsOfThisAccount",
        principals,
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions,
      }),
    );
    const budget = new CfnBudget(this, "Budget", {
      budget: {
        budgetName: Stack.of(this).stackName,
        budgetType: "COST",
        timeUnit: "MONTHLY",
        budgetLimit: { amount: dollars, unit: "USD" },
      },
      notificationsWithSubscribers: notifications.map(({ type, percent }) => ({
        notification: {
          notificationType: type,
          comparisonOperator: "GREATER_THAN",
          threshold: percent,
          thresholdType: "PERCENTAGE",
        },
        subscribers: [{ subscriptionType: "SNS", address: topic.topicArn }],
      })),
    });
    // Without this dependency, the first notification may precede the permission.
    if (policyDependable !== undefined) budget.node.addDependency(policyDependable);
  }
}

/**
 * Parses the context key `monthlyBudget`, an amount in US dollars. Returns undefined if the key is
 * not set.
 * @throws Error unless the value is an amount from 1 to 999,999,999.99 with at most two decimals,
 * as a number or a string
 */
export function monthlyBudgetOf(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  const text = typeof given === "number" ? String(given) : given;
  if (typeof text === "string" && /^[1-9]\d{0,8}(\.\d{1,2})?$/.test(text)) return Number(text);
  throw new Error(
    "Context key 'monthlyBudget' must be an amount in US dollars from 1 to 999999999.99, such as 500 " +
      `(got ${JSON.stringify(given)}).`,
  );
}
