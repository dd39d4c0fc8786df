import { CreateTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pointClientsAt } from "../../tools/local/aws-environment.ts";
import { openDataFolder } from "../../tools/local/data-folder.ts";
import { startDynamo } from "../../tools/local/dynamo-server.ts";
import { tableDefinition } from "../../tools/local/table-definition.ts";

/** Runs work against a temporary DynamoDB engine, to which new SDK clients of this process connect. */
export async function withBenchDynamo<T>(work: (endpoint: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), "bench-"));
  const folder = openDataFolder(dir, false);
  const dynamo = await startDynamo(folder);
  try {
    pointClientsAt({ dynamodb: dynamo.endpoint });
    return await work(dynamo.endpoint);
  } finally {
    await dynamo.stop();
    folder.release();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Creates a table with the keys and the index that every table of the service has. */
export async function createBenchTable(client: DynamoDBClient, name: string): Promise<string> {
  await client.send(new CreateTableCommand(tableDefinition(name)));
  return name;
}
