import {
  DynamoDBClient,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListTablesCommand,
  PutItemCommand,
  GetItemCommand,
} from "@aws-sdk/client-dynamodb";
import { ListBucketsCommand, S3Client } from "@aws-sdk/client-s3";
import { CreateScheduleCommand, SchedulerClient, type Target } from "@aws-sdk/client-scheduler";
import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSEvent } from "aws-lambda";
import { existsSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openDataFolder } from "../../../tools/local/data-folder.ts";
import { startDynamo } from "../../../tools/local/dynamo-server.ts";
import type { LoadHandler } from "../../../tools/local/lambda-host.ts";
import type { Stack } from "../../../tools/local/template.ts";
import { startWorld } from "../../../tools/local/world.ts";
import type { World } from "../../../tools/local/world.ts";
import { loadFixture } from "./fixture-handlers.ts";
import { fixtureStacks } from "./fixture-stacks.ts";
import { temporaryFolder } from "./temporary-folder.ts";

type Handlers = Parameters<typeof loadFixture>[0];

interface Starting {
  readonly fresh?: boolean;
  readonly stacks?: readonly Stack[];
}

async function start(
  dir: string,
  handlers: Handlers = {},
  { fresh = false, stacks = fixtureStacks }: Starting = {},
): Promise<World> {
  const loadHandler: LoadHandler = loadFixture(handlers);
  const world = await startWorld({
    dir,
    port: 0,
    fresh,
    stacks: async () => stacks,
    loadHandler,
    seed: async () => ({ apiKey: "svc_live_x", demoApiKey: "svc_demo_x" }),
  });
  onTestFinished(world.stop);
  return world;
}

/**
 * Starts a world with a schedule that is due; `seen` collects the messages that its worker
 * receives.
 */
async function runSchedule(
  targetIn: (world: World) => Pick<Target, "Input"> & { readonly Arn: string | undefined },
): Promise<{ readonly seen: readonly string[]; readonly scheduledTime: string }> {
  const seen: string[] = [];
  const world = await start(temporaryFolder(), {
    worker: async (event: SQSEvent) => {
      seen.push(...bodiesOf(event));
    },
  });
  const StartDate = new Date(Math.floor(Date.now() / 1000) * 1000);
  await new SchedulerClient({}).send(
    new CreateScheduleCommand({
      Name: "wl_1",
      GroupName: "fixture-lists",
      ScheduleExpression: "rate(1 hour)",
      StartDate,
      FlexibleTimeWindow: { Mode: "OFF" },
      Target: {
        RoleArn: "arn:aws:iam::000000000000:role/Fixture-service-SchedulerRole",
        ...targetIn(world),
      },
    }),
  );
  return { seen, scheduledTime: StartDate.toISOString().replace(".000", "") };
}

function queueUrl(world: World, logicalId: string): string {
  return `${world.endpoints.sqs}/000000000000/Fixture-service-${logicalId}`;
}

async function send(world: World, logicalId: string, body: string): Promise<void> {
  await new SQSClient({}).send(
    new SendMessageCommand({ QueueUrl: queueUrl(world, logicalId), MessageBody: body }),
  );
}

async function waiting(world: World, logicalId: string): Promise<string[]> {
  const { Attributes } = await new SQSClient({}).send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl(world, logicalId),
      AttributeNames: ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
    }),
  );
  return Object.values(Attributes ?? {});
}

const bodiesOf = (event: SQSEvent): string[] => event.Records.map(({ body }) => body);

describe("a local world", () => {
  it("creates the templates' tables, queues and buckets, and the customer's bucket", async () => {
    const world = await start(temporaryFolder());

    const { TableNames } = await new DynamoDBClient({}).send(new ListTablesCommand({}));
    const { QueueUrls } = await new SQSClient({}).send(new ListQueuesCommand({}));
    const { Buckets } = await new S3Client({ forcePathStyle: true }).send(
      new ListBucketsCommand({}),
    );

    expect(TableNames).toEqual(["Fixture-data-Rows"]);
    expect(QueueUrls?.map((url) => url.split("/").at(-1)).toSorted()).toEqual([
      "Fixture-service-Jobs",
      "Fixture-service-JobsDead",
      "Fixture-service-Quick",
      "Fixture-service-QuickDead",
    ]);
    expect(Buckets?.map(({ Name }) => Name).toSorted()).toEqual([
      "customer-exports",
      "fixture-data-events",
    ]);
    expect(world.environmentOf("echo")["JOBS_URL"]).toBe(queueUrl(world, "Jobs"));
  });

  it("creates tables and queues with the keys, indexes and attributes of the templates", async () => {
    const world = await start(temporaryFolder());
    const name = { TableName: "Fixture-data-Rows" };

    const { Table } = await new DynamoDBClient({}).send(new DescribeTableCommand(name));
    const ttl = await new DynamoDBClient({}).send(new DescribeTimeToLiveCommand(name));
    const { Attributes } = await new SQSClient({}).send(
      new GetQueueAttributesCommand({
        QueueUrl: queueUrl(world, "Jobs"),
        AttributeNames: ["VisibilityTimeout", "RedrivePolicy"],
      }),
    );

    expect(Table?.KeySchema?.map((key) => key.AttributeName)).toEqual(["pk", "sk"]);
    expect(Table?.GlobalSecondaryIndexes).toMatchObject([
      { IndexName: "due", Projection: { ProjectionType: "KEYS_ONLY" } },
    ]);
    expect(ttl.TimeToLiveDescription?.AttributeName).toBe("ttl");
    expect(Attributes?.VisibilityTimeout).toBe("600");
    expect(JSON.parse(Attributes?.RedrivePolicy ?? "")).toEqual({
      deadLetterTargetArn: "arn:aws:sqs:us-east-1:000000000000:Fixture-service-JobsDead",
      maxReceiveCount: 2,
    });
  });

  it("writes its addresses to ready.json, which only the owner can read, and deletes the file when it stops", async () => {
    const dir = temporaryFolder();
    const world = await start(dir);
    const file = `${dir}/ready.json`;

    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      base_url: world.baseUrl,
      api_key: "svc_live_x",
      demo_api_key: "svc_demo_x",
      webhook_receiver_url: world.receiverUrl,
      pid: process.pid,
      rows_table: "Fixture-data-Rows",
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);

    await world.stop();
    expect(existsSync(file)).toBe(false);
  });

  it("does not start if STORED_VERSIONS has an unknown value", async () => {
    vi.stubEnv("STORED_VERSIONS", "newest");
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    await expect(start(temporaryFolder())).rejects.toThrow(
      'STORED_VERSIONS must be one of: current, previous, next (got "newest").',
    );
  });

  it("handles API calls with the functions of the templates", async () => {
    const world = await start(temporaryFolder());

    const response = await fetch(`${world.baseUrl}/v1/things/1`);

    expect(await response.json()).toMatchObject({ name: "echo", event: { path: "/v1/things/1" } });
  });

  it("keeps running when a second local world for the same folder is refused", async () => {
    const dir = temporaryFolder();
    const world = await start(dir);

    await expect(start(dir)).rejects.toThrow("Another local world uses");

    expect((await fetch(`${world.baseUrl}/v1/things`)).status).toBe(200);
  });

  it("uses the next free port if the given port is taken", async () => {
    const world = await start(temporaryFolder());
    const taken = Number(new URL(world.baseUrl).port);
    await world.stop();
    const { serveFrom } = await import("../../../tools/local/local-server.ts");
    const other = await serveFrom(taken, () => {});
    onTestFinished(async () => other.close());

    const second = await startWorld({
      dir: temporaryFolder(),
      port: other.port,
      fresh: false,
      stacks: async () => fixtureStacks,
      loadHandler: loadFixture(),
      seed: async () => ({ apiKey: "a", demoApiKey: "b" }),
    });
    onTestFinished(second.stop);

    expect(Number(new URL(second.baseUrl).port)).toBeGreaterThan(other.port);
  });

  it("keeps rows, messages and addresses after a restart, and keeps only the addresses after a restart with --fresh", async () => {
    const dir = temporaryFolder();
    const before = await start(dir);
    const row = { pk: { S: "a" }, sk: { S: "b" } };
    const table = { TableName: "Fixture-data-Rows" };
    await new DynamoDBClient({}).send(new PutItemCommand({ ...table, Item: row }));
    await send(before, "JobsDead", "kept");
    await before.stop();

    const after = await start(dir);
    const kept = await new DynamoDBClient({}).send(new GetItemCommand({ ...table, Key: row }));
    expect(kept.Item).toEqual(row);
    expect(await waiting(after, "JobsDead")).toEqual(["1", "0"]);
    expect(after.receiverUrl).toBe(before.receiverUrl);
    expect(after.bucketEndpoint).toBe(before.bucketEndpoint);
    await after.stop();

    const fresh = await start(dir, {}, { fresh: true });
    const gone = await new DynamoDBClient({}).send(new GetItemCommand({ ...table, Key: row }));
    expect(gone.Item).toBeUndefined();
    expect(await waiting(fresh, "JobsDead")).toEqual(["0", "0"]);
  });
});

describe("the tables of a local world", () => {
  it("are created in the database at DYNAMODB_ENDPOINT, and lose their rows with --fresh", async () => {
    const folder = openDataFolder(temporaryFolder(), false);
    const dynamo = await startDynamo(folder);
    onTestFinished(async () => {
      await dynamo.stop();
      folder.release();
    });
    vi.stubEnv("DYNAMODB_ENDPOINT", dynamo.endpoint);
    const dir = temporaryFolder();
    const row = { pk: { S: "a" }, sk: { S: "b" } };
    const table = { TableName: "Fixture-data-Rows" };

    const world = await start(dir);
    expect(world.endpoints.dynamodb).toBe(dynamo.endpoint);
    await new DynamoDBClient({}).send(new PutItemCommand({ ...table, Item: row }));
    await world.stop();
    await start(dir, {}, { fresh: true });

    const { Item } = await new DynamoDBClient({}).send(new GetItemCommand({ ...table, Key: row }));
    expect(Item).toBeUndefined();
    vi.unstubAllEnvs();
  });

  it("are refused if their indexes differ from the indexes in the template", async () => {
    const dir = temporaryFolder();
    await (await start(dir)).stop();
    const changed = structuredClone(fixtureStacks);
    const rows = changed[0]?.template.Resources["Rows"];
    if (rows) rows.Properties["GlobalSecondaryIndexes"] = [];

    await expect(start(dir, {}, { stacks: changed })).rejects.toThrow(
      /Table Fixture-data-Rows has other keys or indexes.*--fresh/,
    );
  });
});

describe("a queue of a local world", () => {
  it("is refused if its visibility timeout is shorter than its function's timeout, as on AWS", async () => {
    const changed = structuredClone(fixtureStacks);
    const jobs = changed[1]?.template.Resources["Jobs"];
    if (jobs) jobs.Properties["VisibilityTimeout"] = 30;

    await expect(start(temporaryFolder(), {}, { stacks: changed })).rejects.toThrow(
      "must be at least 600 s, the timeout of the function worker",
    );
  });

  it("delivers messages to its function, and deletes the messages if the function succeeds", async () => {
    const seen: SQSEvent[] = [];
    const world = await start(temporaryFolder(), {
      worker: async (event: SQSEvent) => {
        seen.push(event);
      },
    });

    await send(world, "Jobs", "one");

    await expect.poll(() => seen.flatMap(bodiesOf)).toEqual(["one"]);
    await expect.poll(async () => waiting(world, "Jobs")).toEqual(["0", "0"]);
    expect(seen[0]?.Records[0]).toMatchObject({
      eventSource: "aws:sqs",
      eventSourceARN: "arn:aws:sqs:us-east-1:000000000000:Fixture-service-Jobs",
      attributes: { ApproximateReceiveCount: "1" },
    });
  });

  it("delivers only the failed messages of a batch again, and finally moves them to the dead-letter queue", async () => {
    const seen: string[] = [];
    const world = await start(temporaryFolder(), {
      quick: async (event: SQSEvent) => {
        seen.push(...bodiesOf(event));
        const failed = event.Records.filter(({ body }) => body === "bad");
        return { batchItemFailures: failed.map((r) => ({ itemIdentifier: r.messageId })) };
      },
    });

    await send(world, "Quick", "bad");
    await send(world, "Quick", "good");

    await expect.poll(async () => waiting(world, "QuickDead")).toEqual(["1", "0"]);
    expect(seen.toSorted()).toEqual(["bad", "bad", "good"]);
    expect(await waiting(world, "Quick")).toEqual(["0", "0"]);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("broken"))],
    ["exceeds its timeout", () => new Promise(() => {})],
    [
      "reports the ID of a message that it did not get",
      async () => ({ batchItemFailures: [{ itemIdentifier: "?" }] }),
    ],
  ])(
    "delivers the whole batch again if its function fails: it %s",
    async (_name, handler) => {
      const calls: unknown[] = [];
      const world = await start(temporaryFolder(), {
        quick: async () => {
          calls.push(1);
          return handler();
        },
      });

      await send(world, "Quick", "one");

      await expect.poll(() => calls.length).toBe(2);
      await expect.poll(async () => waiting(world, "QuickDead")).toEqual(["1", "0"]);
    },
    20_000,
  );

  it("passes no more concurrent batches to its function than the event source mapping allows", async () => {
    const held = Promise.withResolvers<void>();
    let running = 0;
    const world = await start(temporaryFolder(), {
      worker: async () => {
        running += 1;
        await held.promise;
      },
    });

    for (const body of ["1", "2", "3", "4"]) await send(world, "Jobs", body);

    await expect.poll(() => running).toBe(2);
    expect(await waiting(world, "Jobs")).toEqual(["2", "2"]);
    held.resolve();
    await expect.poll(() => running).toBe(4);
  });

  it("delivers a message again after its visibility timeout is set to 0, and keeps its receive count", async () => {
    const dir = temporaryFolder();
    const before = await start(dir);
    const QueueUrl = queueUrl(before, "JobsDead");
    const receive = async () =>
      (
        await new SQSClient({}).send(
          new ReceiveMessageCommand({
            QueueUrl,
            VisibilityTimeout: 600,
            MessageSystemAttributeNames: ["ApproximateReceiveCount"],
          }),
        )
      ).Messages?.[0];
    await send(before, "JobsDead", "one");

    const { ReceiptHandle } = (await receive()) ?? {};
    await new SQSClient({}).send(
      new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
    );
    const again = await receive();
    await before.stop();
    await start(dir);
    const afterRestart = await receive();

    expect(again?.Attributes?.ApproximateReceiveCount).toBe("2");
    expect(afterRestart?.Attributes?.ApproximateReceiveCount).toBe("3");
  });
});

describe("a schedule of a local world", () => {
  it("invokes its target function if a template creates the schedule", async () => {
    const swept = Promise.withResolvers<unknown>();
    await start(temporaryFolder(), { sweeper: (event: unknown) => swept.resolve(event) });

    expect(await swept.promise).toEqual({});
  });

  it("sends the message of a universal target to the queue in its input", async () => {
    const { seen, scheduledTime } = await runSchedule((world) => ({
      Arn: "arn:aws:scheduler:::aws-sdk:sqs:sendMessage",
      Input: JSON.stringify({
        QueueUrl: world.environmentOf("echo")["JOBS_URL"],
        MessageBody: "due <aws.scheduler.scheduled-time>",
        MessageGroupId: "acct_1",
      }),
    }));

    await expect.poll(() => seen).toEqual([`due ${scheduledTime}`]);
  });

  it("sends the schedule's input, with the scheduled time inserted, to a queue", async () => {
    const { seen, scheduledTime } = await runSchedule((world) => ({
      Arn: world.environmentOf("echo")["JOBS_ARN"],
      Input: '{"due":"<aws.scheduler.scheduled-time>","by":"<aws.scheduler.schedule-arn>"}',
    }));

    await expect
      .poll(() => seen.map((body) => JSON.parse(body) as unknown))
      .toEqual([
        {
          due: scheduledTime,
          by: "arn:aws:scheduler:us-east-1:000000000000:schedule/fixture-lists/wl_1",
        },
      ]);
  });
});
