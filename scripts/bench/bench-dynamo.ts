import { CreateTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { pointClientsAt } from "../../tools/local/aws-environment.ts";
import { startTemporaryDynamo } from "../../tools/local/temporary-dynamo.ts";
import { tableDefinition } from "../../tools/local/table-definition.ts";

/**
 * Starts a temporary DynamoDB engine, runs `work` with its endpoint, stops the engine, and returns
 * the result of `work`. SDK clients that this process creates after the start connect to this
 * engine.
 */
export async function withBenchDynamo<T>(work: (endpoint: string) => Promise<T>): Promise<T> {
  const dynamo = await startTemporaryDynamo();
  try {
    pointClientsAt({ dynamodb: dynamo.endpoint });
    return await work(dynamo.endpoint);
  } finally {
    await dynamo.stop();
  }
}

/** Creates a table with the keys and the index of the service's tables. Returns its name. */
export async function createBenchTable(client: DynamoDBClient, name: string): Promise<string> {
  await client.send(new CreateTableCommand(tableDefinition(name)));
  return name;
}
