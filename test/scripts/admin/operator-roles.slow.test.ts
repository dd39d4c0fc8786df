import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStacksCommand,
  waitUntilStackCreateComplete,
} from "@aws-sdk/client-cloudformation";
import { CloudWatchLogsClient, DeleteLogStreamCommand } from "@aws-sdk/client-cloudwatch-logs";
import { DeleteTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { SSMClient } from "@aws-sdk/client-ssm";
import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloudWatchAuditLog } from "../../../scripts/admin/audit/cloudwatch-audit-log.ts";
import { assumeOperatorRole, operatorIdentity } from "../../../scripts/admin/operator.ts";
import { awsRestoreCloud } from "../../../scripts/admin/restore/aws-restore-cloud.ts";
import { restoreStage } from "../../../scripts/admin/restore/restore-stage.ts";
import { auditLogStream, type OperatorRole } from "../../../lib/operator-names.ts";
import { documentClient } from "../../../shared/aws/table/dynamo.ts";
import { systemClock } from "../../../shared/base/system.ts";
import { synthesize } from "../../lib/synthesize.ts";
import { auditLogContract } from "./audit/audit-log-contract.ts";
import { startEmulatedAws } from "./emulated-aws.ts";
import { runAdminHere } from "../run-admin.ts";

const aws = await startEmulatedAws();
const stacks = { data: "RetailProductData-dev-data", service: "RetailProductData-dev-service" };
const queues = ["Runs", "Steps", "Finishes", "Deliveries"].flatMap((name) => [
  `${name}Queue`,
  `${name}DeadLetterQueue`,
]);

/**
 * A template that creates only the queues of the service stack. Their logical IDs and the names of
 * their outputs are the same as in the service stack.
 */
const serviceTemplate = {
  Resources: Object.fromEntries(queues.map((id) => [id, { Type: "AWS::SQS::Queue" }])),
  Outputs: Object.fromEntries(queues.map((id) => [`${id}Url`, { Value: { Ref: id } }])),
};
/** The identity of an operator, who may only assume the roles. */
const operatorTemplate = {
  Resources: {
    Operator: {
      Type: "AWS::IAM::Role",
      Properties: {
        RoleName: "ops",
        AssumeRolePolicyDocument: {
          Version: "2012-10-17",
          Statement: [
            {
              Effect: "Allow",
              Action: "sts:AssumeRole",
              Principal: { AWS: { "Fn::Sub": "arn:aws:iam::${AWS::AccountId}:root" } },
            },
          ],
        },
        Policies: [
          {
            PolicyName: "assume",
            PolicyDocument: {
              Version: "2012-10-17",
              Statement: [
                {
                  Effect: "Allow",
                  Action: "sts:AssumeRole",
                  Resource: {
                    "Fn::Sub":
                      "arn:aws:iam::${AWS::AccountId}:role/RetailProductData-dev-us-east-1-operator-*",
                  },
                },
              ],
            },
          },
        ],
      },
    },
  },
  Outputs: { RoleArn: { Value: { "Fn::GetAtt": ["Operator", "Arn"] } } },
};

/**
 * The emulator ignores the resource of a request for these actions. It allows them only by a policy
 * for all resources, which the roles do not have.
 */
const gaps = {
  act: ["sqs:ListMessageMoveTasks", "sqs:StartMessageMoveTask"],
  "break-glass": [
    "dynamodb:DeleteBackup",
    "dynamodb:ListTagsOfResource",
    "dynamodb:RestoreTableFromBackup",
    "dynamodb:RestoreTableToPointInTime",
    "dynamodb:TagResource",
  ],
} as const;
const gapTemplate = {
  Resources: Object.fromEntries(
    Object.entries(gaps).map(([role, Action], index) => [
      `Gap${index}`,
      {
        Type: "AWS::IAM::Policy",
        Properties: {
          PolicyName: "gap",
          Roles: [`RetailProductData-dev-us-east-1-operator-${role}`],
          PolicyDocument: {
            Version: "2012-10-17",
            Statement: [{ Effect: "Allow", Action, Resource: "*" }],
          },
        },
      },
    ]),
  ),
};

/** Creates a stack and returns its outputs. */
async function create(StackName: string, template: unknown): Promise<Record<string, string>> {
  const client = new CloudFormationClient(aws?.config ?? {});
  const TemplateBody = JSON.stringify(template);
  const Capabilities = ["CAPABILITY_NAMED_IAM" as const];
  await client.send(new CreateStackCommand({ StackName, TemplateBody, Capabilities }));
  await waitUntilStackCreateComplete({ client, maxWaitTime: 60, minDelay: 0.1 }, { StackName });
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
  const outputs = Stacks?.[0]?.Outputs ?? [];
  return Object.fromEntries(outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}

/** Runs an admin command as the operator. */
const admin = (...words: string[]) => runAdminHere([...words, "--stage", "dev"]);

async function result(...words: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await admin(...words);
  expect({ words, code, err }).toEqual({ words, code: 0, err: "" });
  return JSON.parse(out) as Record<string, unknown>;
}

const clientsOf = async (role: OperatorRole) =>
  assumeOperatorRole(await operatorIdentity(), "dev", role);

describe.skipIf(aws === undefined)("the roles of operators, with an AWS emulator,", () => {
  let data: Record<string, string>;
  let service: Record<string, string>;
  let account: string;

  beforeAll(async () => {
    const { Resources, Outputs } = synthesize("dev").data.toJSON();
    data = await create(stacks.data, { Resources, Outputs });
    service = await create(stacks.service, serviceTemplate);
    await create("gaps", gapTemplate);
    const { RoleArn } = await create("operators", operatorTemplate);
    const { Credentials } = await new STSClient(aws?.config ?? {}).send(
      new AssumeRoleCommand({ RoleArn, RoleSessionName: "ops" }),
    );
    Object.assign(process.env, {
      AWS_ENDPOINT_URL: aws?.config.endpoint,
      AWS_ACCESS_KEY_ID: Credentials?.AccessKeyId,
      AWS_SECRET_ACCESS_KEY: Credentials?.SecretAccessKey,
      AWS_SESSION_TOKEN: Credentials?.SessionToken,
    });
    const opened = await result("create-account", "--name", "Acme", "--email", "a@acme.example");
    account = String(opened["id"]);
  });
  afterAll(() => aws?.stop());

  it("allow every command that changes accounts and credits", async () => {
    const of = ["--account", account];
    const key = await result("create-key", ...of, "--name", "server");
    await result("revoke-key", ...of, "--key", String(key["id"]));
    await result("purchase", ...of, "--id", "invoice-1", "--pack", "starter");
    await result("grant", ...of, "--id", "sorry-1", "--credits", "5");
    await result("adjust", ...of, "--id", "typo-1", "--credits=-5");
    await result("set-auto-topup", ...of, "--threshold", "10", "--pack", "starter");
    expect((await admin("migrate", "--dry-run")).code).toBe(0);
    expect((await admin("migrate")).code).toBe(0);
  });

  it("allow every command that only lists or compares data", async () => {
    const of = ["--account", account];
    await result("accounts");
    await result("accounts", "show", ...of);
    await result("keys", ...of);
    await result("credits", ...of);
    await result("watchlists", ...of);
    expect((await admin("runs", "--watchlist", "wl_none")).err).toContain("does not exist");
    // On a busy machine, reconcile also prints its progress.
    expect((await admin("reconcile")).code).toBe(0);
    const audited = await result("audit", ...of);
    expect(audited["data"]).toContainEqual(expect.objectContaining({ created: account }));
  });

  it("allow the commands that show and move dead letters", async () => {
    const sqs = new SQSClient(aws?.config ?? {});
    const QueueUrl = service["RunsDeadLetterQueueUrl"];
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "{}" }));

    await result("dead-letters");
    const shown = await result("dead-letters", "show", "--queue", "runs");
    expect(shown["data"]).toHaveLength(1);
    expect(await result("dead-letters", "replay", "--queue", "runs")).toMatchObject({ moved: 1 });
  });

  it("do not allow the role 'read' to change anything", async () => {
    const grant = ["grant", "--account", account, "--id", "x", "--credits", "5"];
    const { code, err } = await admin(...grant, "--role", "read");

    expect(code).toBe(1);
    expect(err).toContain("not authorized");
  });

  it("allow no deletion of tables and ledger rows with the role 'act', and no deletion of audit lines with any role that the test assumes", async () => {
    const options = await clientsOf("act");
    const table = new DynamoDBClient(options).send(
      new DeleteTableCommand({ TableName: data["AccountsTableName"] }),
    );
    await expect(table).rejects.toThrow("not authorized");
    const row = documentClient("current", options).send(
      new DeleteCommand({ TableName: data["LedgerTableName"], Key: { pk: "a", sk: "b" } }),
    );
    await expect(row).rejects.toThrow("not authorized");
    const logGroupName = data["OperatorAuditLogName"];
    for (const role of ["act", "break-glass"] as const) {
      const lines = new CloudWatchLogsClient(await clientsOf(role)).send(
        new DeleteLogStreamCommand({ logGroupName, logStreamName: auditLogStream }),
      );
      await expect(lines).rejects.toThrow("not authorized");
    }
  });

  it("are required to list accounts: the command fails with --role none", async () => {
    expect((await admin("accounts", "--role", "none")).err).toContain("not authorized");
  });

  it("allow a restore and its dry run", async () => {
    // Point-in-time recovery does not cover the last five minutes.
    const at = `${new Date(Date.now() - 600_000).toISOString().slice(0, 19)}Z`;
    const plan = await result("restore", "--at", at, "--dry-run");
    expect(plan["data"]).toHaveLength(9);

    const options = await clientsOf("break-glass");
    const pollMs = 20;
    const cloud = awsRestoreCloud({
      dynamo: new DynamoDBClient(options),
      formation: new CloudFormationClient(options),
      ssm: new SSMClient(options),
      stacks,
      parameter: "/retail-product-data/dev/restore",
      clock: systemClock,
      pollMs,
    });
    const tables = Object.entries(data)
      .filter(([name]) => name.endsWith("TableName"))
      .map(([, table]) => table);
    const tools = {
      cloud,
      reconcile: async () => 0,
      confirm: async () => {},
      note: () => {},
      clock: systemClock,
      pollMs,
    };
    const restore = { stage: "dev", at, tables, stacks };
    expect(await restoreStage(restore, tools)).toMatchObject({ step: "deploy" });
    service = await create(stacks.service, serviceTemplate);
    expect(await restoreStage(restore, tools)).toEqual({ state: "completed", at });
    expect(await result("accounts", "show", "--account", account)).toMatchObject({ id: account });
  });

  describe("write to an audit log in CloudWatch Logs that", () => {
    auditLogContract(async () => {
      const outputs = await create("other-data", {
        Resources: {
          Log: { Type: "AWS::Logs::LogGroup" },
          Stream: {
            Type: "AWS::Logs::LogStream",
            Properties: { LogGroupName: { Ref: "Log" }, LogStreamName: auditLogStream },
          },
        },
        Outputs: { Name: { Value: { Ref: "Log" } } },
      });
      const client = new CloudWatchLogsClient(aws?.config ?? {});
      return cloudWatchAuditLog(client, outputs["Name"] ?? "");
    });
  });
});
