import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { inject } from "vitest";
import { openDataFolder } from "../../tools/local/data-folder.ts";
import { startDynamo } from "../../tools/local/dynamo-server.ts";
import { tableDefinition } from "../../tools/local/table-definition.ts";

export interface TestTables {
  readonly client: DynamoDBDocumentClient;
  /** Makes a table with the service's key schema; gives its name. */
  create(): Promise<string>;
  stop(): Promise<void>;
}

/** A real DynamoDB engine with no tables but this test file's own. */
export async function startTables(): Promise<TestTables> {
  const engine = await startEngine();
  const base = new DynamoDBClient(engine.client);
  let made = 0;
  return {
    client: DynamoDBDocumentClient.from(base, {
      marshallOptions: { removeUndefinedValues: true },
    }),
    async create() {
      made += 1;
      const name = `table-${made}`;
      await base.send(new CreateTableCommand(tableDefinition(name)));
      return name;
    },
    async stop() {
      base.destroy();
      await engine.stop();
    },
  };
}

interface Engine {
  readonly client: DynamoDBClientConfig;
  stop(): Promise<void>;
}

/** The DynamoDB Local of this run when it has one, else a dynoxide in a folder that goes with it. */
async function startEngine(): Promise<Engine> {
  const endpoint = inject("dynamodbLocal");
  if (endpoint !== undefined) {
    // Each access key has tables of its own there.
    const accessKeyId = randomBytes(10).toString("hex");
    const credentials = { accessKeyId, secretAccessKey: "test" };
    return { client: { endpoint, credentials }, stop: async () => {} };
  }
  const dir = mkdtempSync(join(tmpdir(), "tables-"));
  const folder = openDataFolder(dir, false);
  const server = await startDynamo(folder);
  return {
    client: { endpoint: server.endpoint },
    async stop() {
      await server.stop();
      folder.release();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
