import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  waitUntilStackCreateComplete,
} from "@aws-sdk/client-cloudformation";
import {
  CreateTableCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { SSMClient } from "@aws-sdk/client-ssm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { awsRestoreCloud } from "../../../../scripts/admin/restore/aws-restore-cloud.ts";
import type { RestoreCloud } from "../../../../scripts/admin/restore/restore-cloud.ts";
import { restoreStage } from "../../../../scripts/admin/restore/restore-stage.ts";
import { systemClock } from "../../../../shared/base/system.ts";
import { startEmulatedAws } from "../emulated-aws.ts";
import { type CloudWorld, restoreCloudContract } from "./restore-cloud-contract.ts";

const pollMs = 20;
const stacks = { data: "data", service: "service" };
const aws = await startEmulatedAws();
const config = aws?.config ?? {};

function openWorld(): CloudWorld {
  const [dynamo, formation, ssm] = [
    new DynamoDBClient(config),
    new CloudFormationClient(config),
    new SSMClient(config),
  ];
  const parameter = "/retail-product-data/prod/restore";
  const options = { dynamo, formation, ssm, stacks, parameter, clock: systemClock, pollMs };
  const cloud: RestoreCloud = awsRestoreCloud(options);
  return {
    cloud,
    async createTable(TableName, row, settings) {
      const key = { AttributeName: "pk" };
      await dynamo.send(
        new CreateTableCommand({
          TableName,
          BillingMode: "PAY_PER_REQUEST",
          AttributeDefinitions: [{ ...key, AttributeType: "S" }],
          KeySchema: [{ ...key, KeyType: "HASH" }],
        }),
      );
      await waitUntilTableExists({ client: dynamo, maxWaitTime: 30, minDelay: 0.1 }, { TableName });
      await dynamo.send(new PutItemCommand({ TableName, Item: { pk: { S: row } } }));
      await cloud.applySettings(TableName, settings);
    },
    async rowOf(TableName) {
      const { Items = [] } = await dynamo.send(new ScanCommand({ TableName }));
      return Items[0]?.["pk"]?.S;
    },
    createService: () => createStack(formation, stacks.service),
  };
}

async function createStack(client: CloudFormationClient, StackName: string): Promise<void> {
  const Resources = { Queue: { Type: "AWS::SQS::Queue" } };
  await client.send(
    new CreateStackCommand({ StackName, TemplateBody: JSON.stringify({ Resources }) }),
  );
  await waitUntilStackCreateComplete({ client, maxWaitTime: 60, minDelay: 0.1 }, { StackName });
}

describe.skipIf(aws === undefined)("restoreStage, with an AWS emulator,", () => {
  const formation = new CloudFormationClient(config);
  beforeAll(() => createStack(formation, stacks.data));
  afterEach(() => formation.send(new DeleteStackCommand({ StackName: stacks.service })));
  afterAll(() => aws?.stop());
  restoreCloudContract("an AWS emulator", async () => openWorld());

  it("replaces two tables with restored tables, and leaves no copies or backups", async () => {
    const world = openWorld();
    const { cloud } = world;
    const settings = {
      timeToLive: "ttl",
      pointInTimeRecovery: true,
      deletionProtection: true,
      tags: { stage: "prod" },
    };
    const tables = ["first", "second"];
    for (const table of tables) await world.createTable(table, `row of ${table}`, settings);
    await world.createService();
    const before = await Promise.all(tables.map((table) => cloud.table(table)));
    // Point-in-time recovery does not cover the last five minutes.
    const at = `${new Date(Date.now() - 600_000).toISOString().slice(0, 19)}Z`;
    const restore = { stage: "prod", at, tables, stacks };
    const tools = {
      cloud,
      reconcile: async () => 0,
      confirm: async () => {},
      note: () => {},
      clock: systemClock,
      pollMs,
    };
    expect(await restoreStage(restore, tools)).toMatchObject({ step: "deploy" });
    await world.createService();
    expect(await restoreStage(restore, tools)).toEqual({ state: "completed", at });

    for (const [index, table] of tables.entries()) {
      expect(await world.rowOf(table)).toBe(`row of ${table}`);
      expect((await cloud.table(table))?.id).not.toBe(before[index]?.id);
      expect(await cloud.settingsOf(table)).toEqual(settings);
      expect(await cloud.table(`${table}-restored`)).toBeUndefined();
    }
    expect(await cloud.progress()).toBeUndefined();
  });
});
