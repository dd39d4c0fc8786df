import { readFileSync } from "node:fs";
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { environment } from "../../../functions/environment.ts";
import { stackName } from "../../../lib/build-app.ts";
import { configs, stages } from "../../../lib/config.ts";
import { AlarmTopic } from "../../../lib/observability/alarm-topic.ts";
import { runbookAnchors, runbookLink } from "../../../lib/observability/runbook.ts";
import { metricKinds, metricNamespace } from "../../../shared/observability/metric-names.ts";
import { stepScrapers } from "../../../shared/scrapers/catalog.ts";
import { actionsOf, documentOf, propertiesOf, resourcesOf, synthesize } from "../synthesize.ts";

const runbook = readFileSync(new URL("../../../docs/operate.md", import.meta.url), "utf8");

/** Headings of a Markdown page, in the form in which links name them. */
const anchorsOf = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .trim()
      .replaceAll(" ", "-"),
  );

interface Metric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface Alarm {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly AlarmActions: unknown;
  readonly OKActions: unknown;
  readonly TreatMissingData: string;
  readonly MetricName?: string;
  readonly Metrics?: readonly {
    readonly Expression?: string;
    readonly Id: string;
    readonly MetricStat?: { readonly Metric: Metric };
  }[];
}

/** Returns the metrics that an alarm reads, including the metrics of its expression. */
const metricsOf = (alarm: Alarm): readonly Metric[] =>
  alarm.Metrics === undefined
    ? [alarm as unknown as Metric]
    : alarm.Metrics.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []));

describe.each(stages)("the alarms of the stage %s", (stage) => {
  const { service, data } = synthesize(stage);
  const topic = {
    "Fn::GetStackOutput": { StackName: stackName(stage, "data"), OutputName: "AlarmTopicArn" },
  };
  const alarms = propertiesOf(service, "AWS::CloudWatch::Alarm") as unknown as readonly Alarm[];
  const deploysGradually = configs[stage].deployment !== "all-at-once";
  const named = (part: string): readonly Alarm[] =>
    alarms.filter(({ AlarmName }) => AlarmName.includes(`-service-${part}`));

  const byName = alarms.map((alarm) => [alarm.AlarmName.split("-service-")[1], alarm] as const);
  it.each(byName)(
    "include the alarm '%s', with a description of the consequence and of what to do",
    (_, alarm) => {
      expect(alarm.AlarmDescription).toMatch(/^[A-Z].+\.\nLook at: .+\.\nDo: .+\.\nRunbook: \S+$/s);
      expect(alarm.AlarmDescription.length).toBeLessThan(1_024);
      expect(JSON.stringify(alarm.AlarmActions)).toBe(JSON.stringify([topic]));
      expect(metricsOf(alarm).length).toBeGreaterThan(0);
      expect(metricsOf(alarm).length).toBeLessThanOrEqual(10);
    },
  );

  it("notify an SNS topic that remains when the service stack is deleted", () => {
    expect(Object.keys(resourcesOf(data, "AWS::SNS::Topic"))).toEqual(["AlarmTopic"]);
    expect(resourcesOf(service, "AWS::SNS::Topic")).toEqual({});
    expect(data.toJSON()).toMatchObject({
      Outputs: { AlarmTopicArn: { Value: { Ref: "AlarmTopic" } } },
    });
  });

  it("send a notification of their recovery only for problems that clients notice", () => {
    const telling = alarms.filter(({ OKActions }) => OKActions !== undefined);

    expect(telling.map(({ AlarmName }) => AlarmName.split("-service-")[1])).toEqual(
      expect.arrayContaining([
        "api-failing",
        "api-slow",
        "watchlists-overdue",
        "receivers-failing",
        "runs-late",
        "sweeper-silent",
      ]),
    );
    expect(telling).toHaveLength(6);
    for (const { OKActions } of telling) expect(OKActions).toEqual([topic]);
  });

  it("cover throttles of every table and index, and errors of every DynamoDB operation", () => {
    const dynamo = alarms
      .flatMap(metricsOf)
      .filter(({ Namespace }) => Namespace === "AWS/DynamoDB");
    const valuesOf = (name: string, dimension: string): readonly unknown[] =>
      dynamo
        .filter(({ MetricName }) => MetricName === name)
        .flatMap(({ Dimensions = [] }) => Dimensions)
        .filter(({ Name }) => Name === dimension)
        .map(({ Value }) => Value);

    for (const throttles of ["ReadThrottleEvents", "WriteThrottleEvents"]) {
      expect(valuesOf(throttles, "TableName")).toHaveLength(4 + 3);
      expect(valuesOf(throttles, "GlobalSecondaryIndexName")).toEqual(["due", "due", "due"]);
    }
    const operations = new Set(valuesOf("SystemErrors", "Operation"));
    const granted = Object.values(resourcesOf(service, "AWS::IAM::Policy"))
      .flatMap(({ Properties }) => documentOf(Properties["PolicyDocument"]))
      .flatMap(actionsOf)
      .filter((action) => action.startsWith("dynamodb:") && !action.endsWith("ConditionCheckItem"))
      .map((action) => action.slice("dynamodb:".length));
    expect(operations).toEqual(new Set([...granted, "TransactWriteItems"]));
  });

  it("link only to headings that exist in docs/operate.md", () => {
    const linked = alarms.map((alarm) =>
      /Runbook: docs\/operate\.md#(.+)$/.exec(alarm.AlarmDescription),
    );

    expect(anchorsOf(runbook)).toEqual(
      expect.arrayContaining([...new Set(linked.map((found) => found?.[1]))]),
    );
  });

  it("together link to every entry of the runbook", () => {
    const text = alarms.map(({ AlarmDescription }) => AlarmDescription).join("\n");

    const unlinked = runbookAnchors.filter((anchor) => !text.includes(`#${anchor}`));
    // Without an event bus, its alarms do not exist.
    expect(unlinked).toEqual([
      "alarm-event-bus-failing",
      ...(deploysGradually ? [] : ["alarm-release-failing"]),
    ]);
  });

  it("warn before the AWS account has used up its Lambda quota", () => {
    const [alarm] = named("concurrency-high") as unknown as readonly Record<string, unknown>[];

    expect(alarm).toMatchObject({
      Namespace: "AWS/Lambda",
      MetricName: "ConcurrentExecutions",
      Statistic: "Maximum",
      Threshold: 0.8 * configs[stage].accountConcurrency,
    });
    expect(alarm).not.toHaveProperty("Dimensions");
  });

  it("measure the proportion of calls that get a 4xx status, the status 401 or the status 429", () => {
    const read = ["calls-refused", "calls-unauthorized", "calls-rate-limited"].map((name) =>
      named(name)
        .flatMap(metricsOf)
        .map(({ MetricName }) => MetricName),
    );

    expect(read).toEqual([
      ["Count", "4XXError"],
      ["Count", "calls_unauthorized"],
      ["Count", "calls_rate_limited"],
    ]);
  });

  it("have unique names", () => {
    expect(new Set(alarms.map(({ AlarmName }) => AlarmName)).size).toBe(alarms.length);
  });

  it("use in an expression only metrics that the same alarm defines", () => {
    for (const { Metrics = [] } of alarms) {
      const ids = Metrics.map(({ Id }) => Id);
      for (const { Expression = "" } of Metrics) {
        expect(ids).toEqual(expect.arrayContaining(Expression.match(/\b[a-z]\w*/g) ?? []));
      }
    }
  });

  it("measure only service metrics that the code writes for the alarm's stage", () => {
    const own = alarms.flatMap(metricsOf).filter(({ Namespace }) => Namespace === metricNamespace);

    expect(own.length).toBeGreaterThan(20);
    for (const { MetricName, Dimensions = [] } of own) {
      const names = Dimensions.map(({ Name }) => Name);
      const writing = Object.values(metricKinds).filter(({ metrics }) =>
        Object.keys(metrics).includes(MetricName),
      );
      const sets = writing.flatMap((kind) =>
        kind.dimensions.map((set) => ["stage", ...set].toSorted().join()),
      );
      expect(sets).toContain(names.toSorted().join());
      expect(Dimensions).toContainEqual({ Name: "stage", Value: stage });
    }
  });

  it("cover every function, queue, dead-letter queue, table and scraper", () => {
    expect(
      named("function-failing-").map(({ AlarmName }) => AlarmName.split("failing-")[1]),
    ).toEqual(expect.arrayContaining(Object.keys(environment)));
    expect(named("release-failing-")).toHaveLength(
      deploysGradually ? Object.keys(environment).length : 0,
    );
    expect(named("source-unavailable-")).toHaveLength(Object.keys(stepScrapers).length);
    expect(named("table-refusing-")).toHaveLength(4);
    expect(named("table-throttling-")).toHaveLength(4);
    const read = new Set(
      alarms
        .flatMap(metricsOf)
        .flatMap(({ Dimensions = [] }) => Dimensions)
        .filter(({ Name }) => Name === "QueueName")
        .map(({ Value }) => (Value as { "Fn::GetAtt": readonly string[] })["Fn::GetAtt"][0] ?? ""),
    );
    expect([...read].toSorted()).toEqual(
      Object.keys(resourcesOf(service, "AWS::SQS::Queue")).toSorted(),
    );
  });

  it("treat missing data as a failure only in the alarm about a silent sweeper", () => {
    const bySilence = alarms.filter(({ TreatMissingData }) => TreatMissingData === "breaching");

    expect(bySilence).toEqual(named("sweeper-silent"));
    expect(bySilence).toHaveLength(1);
  });
});

describe("the SNS topic of the alarms", () => {
  const templateOf = (context: Record<string, string>): Template => {
    // Off, because the validation of templates takes seconds to load its rules.
    // validation.slow.test.ts runs it.
    const app = new App({ context, builtinCloudFormationValidation: false });
    const stack = new Stack(app, "Stack");
    const { topic } = new AlarmTopic(stack, "Topic", { stage: "dev" });
    expect(topic.topicArn).toBeDefined();
    return Template.fromStack(stack);
  };

  it("is encrypted with a key that alarms may use, and accepts only alarms of this account over TLS", () => {
    const template = templateOf({});

    const [topic] = propertiesOf(template, "AWS::SNS::Topic");
    const [keyId = ""] = Object.keys(resourcesOf(template, "AWS::KMS::Key"));
    expect(topic?.["KmsMasterKeyId"]).toEqual({ "Fn::GetAtt": [keyId, "Arn"] });
    const [key] = propertiesOf(template, "AWS::KMS::Key");
    expect(key?.["EnableKeyRotation"]).toBe(true);
    expect(documentOf(key?.["KeyPolicy"])).toContainEqual(
      expect.objectContaining({
        Effect: "Allow",
        Principal: { Service: "cloudwatch.amazonaws.com" },
        Action: ["kms:Decrypt", "kms:GenerateDataKey"],
        Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
      }),
    );
    const [policy] = propertiesOf(template, "AWS::SNS::TopicPolicy");
    expect(documentOf(policy?.["PolicyDocument"])).toEqual([
      expect.objectContaining({
        Effect: "Deny",
        Action: "sns:Publish",
        Condition: { Bool: { "aws:SecureTransport": "false" } },
      }),
      expect.objectContaining({
        Effect: "Allow",
        Principal: { Service: "cloudwatch.amazonaws.com" },
        Action: "sns:Publish",
        Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
      }),
    ]);
  });

  it("receives notifications about the costs of the AWS account if the context has a budget", () => {
    const template = templateOf({ monthlyBudget: "500" });
    const [budget] = propertiesOf(template, "AWS::Budgets::Budget");
    const [topicId = ""] = Object.keys(resourcesOf(template, "AWS::SNS::Topic"));

    expect(budget).toMatchObject({
      Budget: {
        BudgetType: "COST",
        TimeUnit: "MONTHLY",
        BudgetLimit: { Amount: 500, Unit: "USD" },
      },
    });
    const sent = budget?.["NotificationsWithSubscribers"] as readonly {
      readonly Notification: { readonly NotificationType: string; readonly Threshold: number };
      readonly Subscribers: unknown;
    }[];
    expect(
      sent.map(({ Notification: { NotificationType, Threshold } }) => [
        NotificationType,
        Threshold,
      ]),
    ).toEqual([
      ["ACTUAL", 80],
      ["ACTUAL", 100],
      ["FORECASTED", 100],
    ]);
    for (const { Subscribers } of sent) {
      expect(Subscribers).toEqual([{ SubscriptionType: "SNS", Address: { Ref: topicId } }]);
    }
    const budgets = expect.objectContaining({
      Effect: "Allow",
      Principal: { Service: "budgets.amazonaws.com" },
      Condition: expect.objectContaining({
        StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } },
      }) as unknown,
    });
    const [policy] = propertiesOf(template, "AWS::SNS::TopicPolicy");
    const [key] = propertiesOf(template, "AWS::KMS::Key");
    expect(documentOf(policy?.["PolicyDocument"])).toContainEqual(budgets);
    expect(documentOf(key?.["KeyPolicy"])).toContainEqual(budgets);
    expect(resourcesOf(templateOf({}), "AWS::Budgets::Budget")).toEqual({});
  });

  it.each(["0", "-5", "500 USD", "1e3", true])(
    "is not synthesized, and an error names the value, if the context contains the invalid budget %j",
    (monthlyBudget) => {
      expect(() => templateOf({ monthlyBudget: String(monthlyBudget) })).toThrow(
        "Context key 'monthlyBudget' must be an amount in US dollars",
      );
    },
  );

  it("has a subscription only if the context names an address", () => {
    expect(
      propertiesOf(templateOf({ alarmEmail: "ops@example.com" }), "AWS::SNS::Subscription"),
    ).toEqual([expect.objectContaining({ Protocol: "email", Endpoint: "ops@example.com" })]);
    expect(resourcesOf(templateOf({}), "AWS::SNS::Subscription")).toEqual({});
    expect(() => templateOf({ alarmEmail: "nobody" })).toThrow("'alarmEmail' must be an email");
  });

  it("is a stack output, for other subscribers", () => {
    expect(templateOf({}).toJSON()).toMatchObject({
      Outputs: { AlarmTopicArn: { Value: { Ref: "AlarmTopic" } } },
    });
  });
});

describe("the runbook's address in alarms", () => {
  const linkOf = (context: Record<string, string>): string =>
    runbookLink(new Stack(new App({ context })), "alarm-api-slow");

  it("is docs/operate.md by default, or the address in the context", () => {
    expect(linkOf({})).toBe("docs/operate.md#alarm-api-slow");
    expect(linkOf({ runbookUrl: "https://git.example.com/service" })).toBe(
      "https://git.example.com/service#alarm-api-slow",
    );
    expect(() => linkOf({ runbookUrl: "https://git.example.com/service#top" })).toThrow("'#'");
    for (const runbookUrl of ["javascript:alert(1)", "http://git.example.com/service", ""]) {
      expect(() => linkOf({ runbookUrl })).toThrow("must be the HTTPS URL");
    }
  });
});
