import { CreateTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { tableSchema } from "../../shared/base/table-schema.ts";

/** Creates a table with the keys and the index that every table of the service has. */
export async function createBenchTable(client: DynamoDBClient, name: string): Promise<string> {
  const { partitionKey, sortKey, dueIndex } = tableSchema;
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [partitionKey, sortKey, dueIndex.partitionKey, dueIndex.sortKey].map(
        (attribute) => ({ AttributeName: attribute, AttributeType: "S" }),
      ),
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
    }),
  );
  return name;
}
