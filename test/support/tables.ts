import { randomUUID } from "node:crypto";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { inject } from "vitest";
import { tableDefinition } from "../../tools/local/table-definition.ts";

export interface TestTables {
  readonly client: DynamoDBDocumentClient;
  /** Makes a table with the service's key schema; gives its name. */
  create(): Promise<string>;
}

/** Tables that only the caller knows, in the DynamoDB engine of the test run. */
export function openTables(): TestTables {
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint: inject("dynamodbEndpoint") }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
  return {
    client,
    async create() {
      const name = `table-${randomUUID()}`;
      await client.send(new CreateTableCommand(tableDefinition(name)));
      return name;
    },
  };
}
