import { join } from "node:path";
import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { OperatorRole } from "../../lib/operator-names.ts";
import { writtenVersions, type WrittenVersions } from "../../shared/base/stored-versions.ts";
import { connectToWorld } from "../../tools/local/running-world.ts";
import type { Tables } from "../../tools/reconcile/reconcile.ts";
import type { AuditLog } from "./audit/audit-log.ts";
import { cloudWatchAuditLog } from "./audit/cloudwatch-audit-log.ts";
import { fileAuditLog } from "./audit/file-audit-log.ts";
import {
  assumeOperatorRole,
  type ClientOptions,
  type Operator,
  operatorIdentity,
} from "./operator.ts";

/** The queues of the service, by the names that the options of the command use. */
export const queueNames = ["runs", "steps", "finishes", "deliveries"] as const;
export type QueueName = (typeof queueNames)[number];

/** The URL of a queue, and the URL of its dead-letter queue. */
export interface QueueUrls {
  readonly queue: string;
  readonly deadLetters: string;
}

/** The names of the CloudFormation stacks of a stage. */
export interface StackNames {
  readonly data: string;
  readonly service: string;
}

/** The world in which a command runs: the local world, or a deployed stage. */
export interface Target {
  /** The name of the stage; null for the local world. */
  readonly stage: string | null;
  /** The names of the stacks of the stage; null for the local world. */
  readonly stacks: StackNames | null;
  readonly tables: Tables;
  /** Who runs the command; null in the local world. */
  readonly operator: Operator | null;
  /** The settings of the clients of the stage, with the credentials of the assumed role. */
  readonly clientOptions: ClientOptions;
  /**
   * Returns the log of the changes of operators. Sends its requests when it is called, not when the
   * target is created.
   */
  auditLog(): Promise<AuditLog>;
  /**
   * Returns the address of the API without a trailing slash. Sends its requests when it is called,
   * not when the target is created.
   */
  apiUrl(): Promise<string>;
  /**
   * Returns which version of rows the functions write. Sends its requests when it is called, not
   * when the target is created.
   */
  storedVersions(): Promise<WrittenVersions>;
  /**
   * Returns the URLs of all queues. Sends its requests when it is called, not when the target is
   * created.
   */
  queues(): Promise<Readonly<Record<QueueName, QueueUrls>>>;
}

/**
 * Returns the target for the running local world that uses a data folder. After the call, all new
 * AWS clients of this process use the endpoints of this world.
 * @throws Error with instructions if no running world uses the folder.
 */
export function localTarget(dataFolder: string): Target {
  const { tables, baseUrl } = connectToWorld(dataFolder);
  return {
    stage: null,
    stacks: null,
    operator: null,
    clientOptions: {},
    auditLog: async () => fileAuditLog(join(dataFolder, "audit.jsonl")),
    tables,
    apiUrl: async () => baseUrl,
    storedVersions: async () => "current",
    queues: localQueues,
  };
}

/** Returns the URLs of the local queues, whose names contain their logical IDs. */
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
 * Returns the target for a deployed stage, based on the outputs of its stacks.
 * @param role The operator role to assume. With `none`, the credentials of this process are used.
 * @throws Error if the stage is unknown, if the role cannot be assumed, or if a stack does not
 * exist.
 */
export async function findTarget(stage: string, role: OperatorRole | "none"): Promise<Target> {
  // Loading the CDK takes a second and only deployed stages need it, so it is imported here.
  const { stackName } = await import("../../lib/build-app.ts");
  const { stages } = await import("../../lib/config.ts");
  const known = stages.find((one) => one === stage);
  if (known === undefined)
    throw new Error(`--stage must be one of ${stages.join(", ")} (got "${stage}").`);
  const { CloudFormationClient: Client } = await import("@aws-sdk/client-cloudformation");
  const operator = await operatorIdentity();
  const clientOptions = role === "none" ? {} : await assumeOperatorRole(operator, known, role);
  const client = new Client(clientOptions);
  const stacks = { data: stackName(known, "data"), service: stackName(known, "service") };
  const data = await outputsOf(client, stacks.data);
  const serviceOutputs = () => outputsOf(client, stacks.service);
  return {
    stage,
    stacks,
    operator,
    clientOptions,
    async auditLog() {
      const { CloudWatchLogsClient: Logs } = await import("@aws-sdk/client-cloudwatch-logs");
      return cloudWatchAuditLog(new Logs(clientOptions), data("OperatorAuditLogName"));
    },
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
    async storedVersions() {
      const stack = await findDeployed(client, stacks.service);
      const value = stack?.Outputs?.find(
        ({ OutputKey }) => OutputKey === "StoredVersions",
      )?.OutputValue;
      return writtenVersions.find((one) => one === value) ?? "current";
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
  const foundStack = await findDeployed(client, stack);
  if (foundStack === undefined) {
    const region = await client.config.region();
    throw new Error(
      `There is no stack ${stack} in ${region}. Deploy the stack, or use another --region or AWS account.`,
    );
  }
  return (name) => {
    const output = foundStack.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    if (output === undefined) {
      throw new Error(`The stack ${stack} has no output ${name}. Deploy it again.`);
    }
    return output;
  };
}

/**
 * Returns a stack by name; undefined if it does not exist. Loads the CloudFormation client, which
 * only deployed stages need.
 */
async function findDeployed(client: CloudFormationClient, name: string) {
  const { findStack } = await import("../cloudformation/find-stack.ts");
  return findStack(client, name);
}

/** Returns the queues of a stack. Finds them by the logical IDs that the CDK app sets. */
function queuesFrom(
  urlOf: (logicalId: string) => string | undefined,
): Readonly<Record<QueueName, QueueUrls>> {
  const queueUrlOf = (logicalId: string): string => {
    const url = urlOf(logicalId);
    if (url === undefined) {
      throw new Error(
        `The local service has no queue with the logical ID ${logicalId}. ` +
          "Start it again with npm start.",
      );
    }
    return url;
  };
  const both = (label: string): QueueUrls => ({
    queue: queueUrlOf(`${label}Queue`),
    deadLetters: queueUrlOf(`${label}DeadLetterQueue`),
  });
  return {
    runs: both("Runs"),
    steps: both("Steps"),
    finishes: both("Finishes"),
    deliveries: both("Deliveries"),
  };
}
