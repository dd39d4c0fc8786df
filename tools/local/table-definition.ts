import type { CreateTableCommand } from "@aws-sdk/client-dynamodb";
import { tableSchema } from "../../shared/base/table-schema.ts";

const { partitionKey, sortKey, dueIndex } = tableSchema;

/**
 * Returns the definition of a table for `CreateTable`. All tables of the service have the same keys
 * and index.
 */
export function tableDefinition(name: string): ConstructorParameters<typeof CreateTableCommand>[0] {
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
