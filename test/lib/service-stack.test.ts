import type { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { environment } from "../../functions/environment.ts";
import type { FunctionName } from "../../functions/environment.ts";
import { stackName } from "../../lib/build-app.ts";
import type { Stage } from "../../lib/config.ts";
import { dataOutputs } from "../../lib/data-references.ts";
import { deployments } from "./deployments.ts";
import { accountKeys } from "../../shared/aws/table/table.ts";
import { leaseMs } from "../../shared/watchlists/idempotency.ts";
import {
  actionsOf,
  documentOf,
  functionIds,
  propertiesOf,
  resourcesOf,
  roleIdOf,
  statementsOf,
  synthesize,
  variablesOf,
} from "./synthesize.ts";
import type { Resource, Statement } from "./synthesize.ts";

const { data, service } = synthesize("prod");
const functions = resourcesOf(service, "AWS::Lambda::Function");
const functionNames = Object.keys(environment) as FunctionName[];

function functionOf(name: FunctionName): Resource {
  const found = functions[functionIds(service).get(name) ?? ""];
  if (found === undefined) throw new Error(`No function ${name}.`);
  return found;
}

function grantsOf(name: FunctionName): readonly Statement[] {
  return statementsOf(service, roleIdOf(functionOf(name).Properties));
}

/**
 * Returns the functions that may do an action on a resource whose logical ID contains `resource`.
 */
function holdersOf(action: string, resource = ""): readonly string[] {
  return functionNames.filter((name) =>
    grantsOf(name).some(
      (statement) =>
        actionsOf(statement).includes(action) &&
        JSON.stringify(statement.Resource).includes(resource),
    ),
  );
}

describe("the service stack's functions", () => {
  it("exist once for each name in the list of function names", () => {
    expect([...functionIds(service).keys()].sort()).toEqual([...functionNames].sort());
    expect(Object.keys(functions)).toHaveLength(functionNames.length);
  });

  it.each(functionNames)(
    "include the function '%s' with exactly the environment variables that are listed for it",
    (name) => {
      const variables = Object.keys(variablesOf(functionOf(name).Properties)).sort();

      expect(variables).toEqual(
        [...environment[name], "POWERTOOLS_SERVICE_NAME", "UV_THREADPOOL_SIZE"].sort(),
      );
    },
  );

  it("include the watchlists function, with a timeout that ends before another call can take over its creation of a watchlist", () => {
    const seconds = functionOf("watchlists").Properties["Timeout"];

    expect(seconds).toBeLessThan(leaseMs / 1_000);
  });

  it.each(functionNames)("include the function '%s' with a separate role", (name) => {
    const roleId = roleIdOf(functionOf(name).Properties);

    const sharing = Object.values(functions).filter(
      ({ Properties }) => roleIdOf(Properties) === roleId,
    );
    expect(sharing).toHaveLength(1);
  });
});

describe.each(["dev", "prod"] as const)(
  "the references from the service stack of the stage %s to the data stack",
  (stage) => {
    const text = JSON.stringify(synthesize(stage).service.toJSON());

    it("import no export of the data stack", () => {
      expect(text).not.toContain("Fn::ImportValue");
    });

    it("read exactly the outputs of the data stack that are listed as shared", () => {
      const read = [...text.matchAll(/"StackName":"([^"]+)","OutputName":"([^"]+)"/g)];

      expect(new Set(read.map(([, stack]) => stack))).toEqual(new Set([stackName(stage, "data")]));
      expect(new Set(read.map(([, , output]) => output))).toEqual(new Set(dataOutputs));
      expect(text.match(/Fn::GetStackOutput/g)).toHaveLength(read.length);
    });
  },
);

describe("the permissions of the service", () => {
  const policies = [data, service].flatMap((template) =>
    Object.values(resourcesOf(template, "AWS::IAM::Policy")).flatMap(({ Properties }) =>
      documentOf(Properties["PolicyDocument"]),
    ),
  );

  /** Actions of a restore whose permission AWS cannot restrict to a resource. */
  const unrestricted = new Set([
    "cloudformation:BatchDescribeTypeConfigurations",
    "cloudformation:DescribeStackDriftDetectionStatus",
    "dynamodb:ListBackups",
  ]);

  it("contain no wildcard in actions, and none in the resources of actions that can be restricted to resources", () => {
    expect(policies.length).toBeGreaterThan(functionNames.length);
    for (const statement of policies) {
      const actions = actionsOf(statement);
      expect(actions.join()).not.toContain("*");
      if (actions.every((action) => unrestricted.has(action))) continue;
      expect([statement.Resource].flat()).not.toContain("*");
    }
  });

  it("are granted by policies of this app, except for the two roles of the gateway's logs and CodeDeploy", () => {
    const managedIn = (template: Template): readonly string[] =>
      propertiesOf(template, "AWS::IAM::Role")
        .map(({ ManagedPolicyArns }) => JSON.stringify(ManagedPolicyArns))
        .filter((arns) => arns !== undefined);
    const { service: withRole } = synthesize("prod", { accessLogs: "setup" });
    const ofCodeDeploy = expect.stringMatching(
      /aws:policy\/service-role\/AWSCodeDeployRoleForLambdaLimited"/,
    );

    expect(managedIn(withRole)).toEqual([
      expect.stringMatching(/aws:policy\/service-role\/AmazonAPIGatewayPushToCloudWatchLogs"/),
      ofCodeDeploy,
    ]);
    expect(managedIn(service)).toEqual([ofCodeDeploy]);
    expect(managedIn(synthesize("dev").service)).toEqual([]);
  });

  it("contain wildcards in resources only for the listed functions", () => {
    const wide = functionNames.flatMap((name) =>
      grantsOf(name)
        .filter(({ Effect, Resource }) => Effect === "Allow" && /\*/.test(JSON.stringify(Resource)))
        .flatMap((statement) => actionsOf(statement).map((action) => `${name} ${action}`)),
    );
    const keepsSchedules = ["Create", "Delete", "Get", "Update"].map(
      (verb) => `scheduler:${verb}Schedule`,
    );
    expect(wide.toSorted()).toEqual(
      [
        "webhook-endpoints s3:GetObject",
        "events s3:GetObject",
        "delivery s3:GetObject",
        "run-finisher s3:PutObject",
        "s3-destination sts:AssumeRole",
        "delivery sts:AssumeRole",
        ...keepsSchedules.map((action) => `watchlists ${action}`),
        ...keepsSchedules.map((action) => `mcp ${action}`),
        ...keepsSchedules.map((action) => `run-starter ${action}`),
      ].toSorted(),
    );
  });

  it("are never granted by a resource policy of a queue or bucket", () => {
    const resourcePolicies = [
      ...Object.values(resourcesOf(service, "AWS::SQS::QueuePolicy")),
      ...Object.values(resourcesOf(data, "AWS::S3::BucketPolicy")),
    ].flatMap(({ Properties }) => documentOf(Properties["PolicyDocument"]));

    expect(resourcePolicies.length).toBeGreaterThan(0);
    expect(resourcePolicies.map(({ Effect }) => Effect)).not.toContain("Allow");
  });

  it("allow no function to change or delete a ledger entry", () => {
    expect(holdersOf("dynamodb:PutItem", "LedgerTable")).toEqual([
      "products",
      "offers",
      "watchlists",
      "mcp",
      "run-starter",
      "run-step",
      "sweeper",
    ]);
    expect(holdersOf("dynamodb:UpdateItem", "LedgerTable")).toEqual([]);
    expect(holdersOf("dynamodb:DeleteItem", "LedgerTable")).toEqual([]);
    expect(holdersOf("dynamodb:BatchWriteItem", "LedgerTable")).toEqual([]);
  });

  it("allow only functions that sign requests or authenticate with secrets to decrypt secrets", () => {
    expect(holdersOf("kms:Decrypt")).toEqual(["webhook-endpoints", "s3-destination", "delivery"]);
    expect(holdersOf("kms:Encrypt")).toEqual(["webhook-endpoints", "s3-destination"]);
  });

  it("allow only the finisher to write event bodies, and only functions that return or send event bodies to read event bodies", () => {
    expect(holdersOf("s3:PutObject")).toEqual(["run-finisher"]);
    expect(holdersOf("s3:GetObject")).toEqual(["webhook-endpoints", "events", "delivery"]);
  });

  it("allow only functions that access customers' buckets to assume roles, and never roles of the service", () => {
    expect(holdersOf("sts:AssumeRole")).toEqual(["s3-destination", "delivery"]);
    for (const name of ["s3-destination", "delivery"] as const) {
      const roles = grantsOf(name).filter((one) => actionsOf(one).includes("sts:AssumeRole"));
      const [allowed, denied, ...more] = roles.map((one) => JSON.stringify(one));
      expect(allowed).toContain('"sts:ExternalId":"?*"');
      expect(denied).toContain('"Effect":"Deny"');
      expect(denied).toContain("AWS::AccountId");
      expect(more).toEqual([]);
    }
  });

  it("allow the functions of public documents to look up API keys and count calls, but not to read accounts", () => {
    for (const name of ["platforms", "meta"] as const) {
      const grants = grantsOf(name).filter((one) => JSON.stringify(one).includes("AccountsTable"));
      const health = grants.filter((one) => JSON.stringify(one).includes("source#*"));
      // The public response of `GET /v1/platforms` contains the health of the sources.
      expect(health.map((one) => one["Action"])).toEqual(
        name === "platforms" ? ["dynamodb:Query"] : [],
      );
      expect(grants.filter((one) => !health.includes(one))).toEqual([
        expect.objectContaining({
          Effect: "Allow",
          Action: ["dynamodb:GetItem", "dynamodb:UpdateItem"],
          Condition: {
            "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [accountKeys.keyHash("*").pk] },
          },
        }),
      ]);
      expect(JSON.stringify(grants)).not.toContain("/index/");
    }
    expect(JSON.stringify(grantsOf("dashboard"))).not.toContain("dynamodb:");
  });

  it("allow only functions that serve or run watchlists to change watchlists", () => {
    expect(holdersOf("dynamodb:PutItem", "WatchlistsTable")).toEqual([
      "watchlists",
      "mcp",
      "run-starter",
      "run-step",
      "run-finisher",
      "backtest-runner",
      "sweeper",
    ]);
  });

  it("allow only the sweeper to read an index", () => {
    const withIndex = functionNames.filter((name) =>
      JSON.stringify(grantsOf(name)).includes("/index/"),
    );

    expect(withIndex).toEqual(["sweeper"]);
    for (const table of ["AccountsTable", "WatchlistsTable", "DeliveriesTable"]) {
      expect(holdersOf("dynamodb:Query", table)).toContain("sweeper");
    }
  });

  it("allow only the functions that are listed as a queue's senders to send to the queue", () => {
    expect(holdersOf("sqs:SendMessage", '"RunsQueue"')).toEqual([
      "products",
      "offers",
      "watchlists",
      "mcp",
      "sweeper",
    ]);
    expect(holdersOf("sqs:SendMessage", '"StepsQueue"')).toEqual(["run-starter", "run-step"]);
    expect(holdersOf("sqs:SendMessage", '"FinishesQueue"')).toEqual(["run-starter", "run-step"]);
    expect(holdersOf("sqs:SendMessage", '"DeliveriesQueue"')).toEqual([
      "webhook-endpoints",
      "events",
      "s3-destination",
      "run-finisher",
      "delivery",
      "sweeper",
    ]);
  });

  it("allow only the worker of a queue to receive, delete and postpone its messages", () => {
    for (const action of ["sqs:ReceiveMessage", "sqs:ChangeMessageVisibility"]) {
      expect(holdersOf(action, '"RunsQueue"')).toEqual(["run-starter"]);
      expect(holdersOf(action, '"StepsQueue"')).toEqual(["run-step"]);
      expect(holdersOf(action, '"FinishesQueue"')).toEqual(["run-finisher"]);
      expect(holdersOf(action, '"DeliveriesQueue"')).toEqual(["delivery"]);
    }
  });
});

describe("the number of resources in the service stack", () => {
  const counts = deployments.flatMap(({ stage, ...context }) => {
    const stacks = synthesize(stage as Stage, context);
    const settings = Object.keys(context).map((key) => ` with ${key}`);
    return Object.entries(stacks).map(([part, template]) => {
      const count = Object.keys(template.toJSON()["Resources"] as object).length;
      return [`the ${part} stack of ${String(stage)}${settings.join()}`, count] as const;
    });
  });

  // CloudFormation allows 500 resources in a stack.
  it.each(counts)("is at most 450 in the deployment '%s'", (_, count) => {
    expect(count).toBeLessThanOrEqual(450);
  });
});

describe("the outputs of the service stack", () => {
  it("contain the address of the API and of every queue", () => {
    const outputs = Object.keys(service.toJSON()["Outputs"] as object);

    expect(outputs).toEqual(
      expect.arrayContaining([
        "ApiUrl",
        "RunsQueueUrl",
        "RunsDeadLetterQueueUrl",
        "StepsQueueUrl",
        "StepsDeadLetterQueueUrl",
        "FinishesQueueUrl",
        "FinishesDeadLetterQueueUrl",
        "DeliveriesQueueUrl",
        "DeliveriesDeadLetterQueueUrl",
        "SweeperDeadLetterQueueUrl",
      ]),
    );
  });

  it("keep the logical IDs of the queues, the schedule group and the API", () => {
    const ids = Object.keys(service.toJSON()["Resources"] as object);

    expect(ids).toEqual(expect.arrayContaining(["Api", "WatchlistSchedules"]));
    expect(Object.keys(resourcesOf(service, "AWS::SQS::Queue")).sort()).toEqual([
      "BacktestsDeadLetterQueue",
      "BacktestsQueue",
      "DeliveriesDeadLetterQueue",
      "DeliveriesQueue",
      "FinishesDeadLetterQueue",
      "FinishesQueue",
      "RunsDeadLetterQueue",
      "RunsQueue",
      "StepsDeadLetterQueue",
      "StepsQueue",
      "SweeperDeadLetterQueue",
    ]);
  });
});
