import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { openDataFolder } from "../../scripts/local/data-folder.ts";
import { startDynamo } from "../../scripts/local/dynamo-server.ts";
import { tableSchema } from "../../shared/base/table-schema.ts";

const { partitionKey, sortKey, dueIndex } = tableSchema;

export interface TestTables {
  readonly client: DynamoDBDocumentClient;
  /** Makes a table with the service's key schema; gives its name. */
  create(): Promise<string>;
  stop(): Promise<void>;
}

/** A real DynamoDB engine of this test file's own, in a folder that goes with it. */
export async function startTables(): Promise<TestTables> {
  const dir = mkdtempSync(join(tmpdir(), "tables-"));
  const folder = openDataFolder(dir, false);
  const server = await startDynamo(folder);
  const base = new DynamoDBClient({ endpoint: server.endpoint });
  let made = 0;
  return {
    client: DynamoDBDocumentClient.from(base, {
      marshallOptions: { removeUndefinedValues: true },
    }),
    async create() {
      made += 1;
      const name = `table-${made}`;
      await base.send(new CreateTableCommand(definition(name)));
      return name;
    },
    async stop() {
      base.destroy();
      await server.stop();
      folder.release();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function definition(name: string): ConstructorParameters<typeof CreateTableCommand>[0] {
  const names = [partitionKey, sortKey, dueIndex.partitionKey, dueIndex.sortKey];
  return {
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: names.map((attribute) => ({
      AttributeName: attribute,
      AttributeType: "S" as const,
    })),
    KeySchema: [
      { AttributeName: partitionKey, KeyType: "HASH" },
      { AttributeName: sortKey, KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: dueIndex.name,
        KeySchema: [
          { AttributeName: dueIndex.partitionKey, KeyType: "HASH" },
          { AttributeName: dueIndex.sortKey, KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ],
  };
}
