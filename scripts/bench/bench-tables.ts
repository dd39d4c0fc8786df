import { CreateTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { tableDefinition } from "../../tools/local/table-definition.ts";

/** Creates a table with the keys and the index that every table of the service has. */
export async function createBenchTable(client: DynamoDBClient, name: string): Promise<string> {
  await client.send(new CreateTableCommand(tableDefinition(name)));
  return name;
}
