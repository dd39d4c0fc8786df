import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { pointClientsAt } from "../../tools/local/aws-environment.ts";
import type { Tables } from "../../tools/reconcile/reconcile.ts";

export const queueNames = ["runs", "steps", "finishes", "deliveries"] as const;
export type QueueName = (typeof queueNames)[number];

export interface QueueUrls {
  readonly queue: string;
  readonly deadLetters: string;
}

/** The world of a command: the local one, or a deployed stage. */
export interface Target {
  /** Null for the local world. */
  readonly stage: string | null;
  readonly tables: Tables;
  /** Returns the API's address without a trailing slash. Looked up when a command needs it. */
  apiUrl(): Promise<string>;
  /** Looked up when a command needs them. */
  queues(): Promise<Readonly<Record<QueueName, QueueUrls>>>;
}

/** The file in which a running local world describes itself. */
const readyFile = "ready.json";

/**
 * Returns the local world of a data folder.
 * @throws Error with instructions if none is running.
 */
export function localTarget(dataFolder: string): Target {
  const world = readWorld(dataFolder);
  pointClientsAt({
    dynamodb: world.dynamodb_endpoint,
    sqs: world.sqs_endpoint,
    s3: world.s3_endpoint,
    scheduler: world.scheduler_endpoint,
    kms: world.kms_endpoint,
  });
  return {
    stage: null,
    tables: {
      accounts: world.accounts_table,
      ledger: world.ledger_table,
      watchlists: world.watchlists_table,
      deliveries: world.deliveries_table,
    },
    apiUrl: async () => world.base_url,
    queues: localQueues,
  };
}

const localWorld = v.object({
  base_url: v.string(),
  dynamodb_endpoint: v.string(),
  sqs_endpoint: v.string(),
  s3_endpoint: v.string(),
  scheduler_endpoint: v.string(),
  kms_endpoint: v.string(),
  accounts_table: v.string(),
  ledger_table: v.string(),
  watchlists_table: v.string(),
  deliveries_table: v.string(),
});

function readWorld(dataFolder: string): v.InferOutput<typeof localWorld> {
  const file = join(dataFolder, readyFile);
  try {
    return v.parse(localWorld, JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new Error(
      `No local world uses ${dataFolder}: ${file} cannot be read. Start one with npm start, ` +
        "set LOCAL_DIR to its folder, or pass a deployed stage with --stage.",
      { cause: error },
    );
  }
}

/** The local world names queues after their logical IDs. */
async function localQueues(): ReturnType<Target["queues"]> {
  const client = new SQSClient({});
  try {
    const { QueueUrls: urls = [] } = await client.send(new ListQueuesCommand({}));
    return queuesFrom((logicalId) => urls.find((url) => url.endsWith(`-${logicalId}`)));
  } finally {
    client.destroy();
  }
}

/**
 * Returns a deployed stage, from the outputs of its stacks.
 * @throws Error if a stack does not exist.
 */
export async function deployedTarget(stage: string): Promise<Target> {
  // Imported here, because loading the CDK takes a second and only deployed stages need it.
  const { stackName } = await import("../../lib/build-app.ts");
  const { stages } = await import("../../lib/config.ts");
  const known = stages.find((one) => one === stage);
  if (known === undefined)
    throw new Error(`--stage must be one of ${stages.join(", ")} (got "${stage}")`);
  const { CloudFormationClient: Client } = await import("@aws-sdk/client-cloudformation");
  const client = new Client({});
  const data = await outputsOf(client, stackName(known, "data"));
  const serviceOutputs = () => outputsOf(client, stackName(known, "service"));
  return {
    stage,
    tables: {
      accounts: data("AccountsTableName"),
      ledger: data("LedgerTableName"),
      watchlists: data("WatchlistsTableName"),
      deliveries: data("DeliveriesTableName"),
    },
    async apiUrl() {
      const service = await serviceOutputs();
      return service("ApiUrl").replace(/\/$/, "");
    },
    async queues() {
      const service = await serviceOutputs();
      return queuesFrom((logicalId) => service(`${logicalId}Url`));
    },
  };
}

async function outputsOf(
  client: CloudFormationClient,
  stack: string,
): Promise<(name: string) => string> {
  const outputs = await describe(client, stack);
  return (name) => {
    const output = outputs.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    if (output === undefined) {
      throw new Error(`The stack ${stack} has no output ${name}. Deploy it again.`);
    }
    return output;
  };
}

async function describe(client: CloudFormationClient, stack: string) {
  const { DescribeStacksCommand } = await import("@aws-sdk/client-cloudformation");
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    return Stacks?.[0]?.Outputs ?? [];
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes("does not exist")) throw error;
    const region = await client.config.region();
    throw new Error(
      `There is no stack ${stack} in ${region}. Deploy it, or use another --region or account.`,
      { cause: error },
    );
  }
}

/** Returns the queues by the logical IDs that the app sets. */
function queuesFrom(
  urlOf: (logicalId: string) => string | undefined,
): Readonly<Record<QueueName, QueueUrls>> {
  const found = (logicalId: string): string => {
    const url = urlOf(logicalId);
    if (url === undefined) throw new Error(`There is no queue ${logicalId}`);
    return url;
  };
  const both = (label: string): QueueUrls => ({
    queue: found(`${label}Queue`),
    deadLetters: found(`${label}DeadLetterQueue`),
  });
  return {
    runs: both("Runs"),
    steps: both("Steps"),
    finishes: both("Finishes"),
    deliveries: both("Deliveries"),
  };
}
