import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import type { CreateTableCommandInput, TableDescription } from "@aws-sdk/client-dynamodb";
import * as v from "valibot";
import type { ResolvedResource, ResolvedTemplates } from "./template.ts";

const keySchema = v.array(
  v.object({ AttributeName: v.string(), KeyType: v.picklist(["HASH", "RANGE"]) }),
);
const indexes = v.optional(
  v.array(
    v.object({
      IndexName: v.string(),
      KeySchema: keySchema,
      Projection: v.object({
        ProjectionType: v.picklist(["ALL", "INCLUDE", "KEYS_ONLY"]),
        NonKeyAttributes: v.exactOptional(v.array(v.string())),
      }),
    }),
  ),
  [],
);

/**
 * The table properties that the local world supports: keys, indexes and expiry. Billing and backups
 * have no local effect.
 */
const tableProperties = v.object({
  KeySchema: keySchema,
  AttributeDefinitions: v.array(
    v.object({ AttributeName: v.string(), AttributeType: v.picklist(["S", "N", "B"]) }),
  ),
  GlobalSecondaryIndexes: indexes,
  LocalSecondaryIndexes: indexes,
  TimeToLiveSpecification: v.optional(
    v.object({ AttributeName: v.string(), Enabled: v.boolean() }),
  ),
});
type TableProperties = v.InferOutput<typeof tableProperties>;

/**
 * Creates the tables of the templates, unless they exist.
 * @param fresh true deletes existing tables first. An external database needs this, because its
 * tables stay when the data folder is emptied.
 * @throws Error if an existing table has other keys or indexes than its template
 */
export async function createTables(templates: ResolvedTemplates, fresh: boolean): Promise<void> {
  const client = new DynamoDBClient({});
  const tables = [
    ...templates.ofType("AWS::DynamoDB::Table", tableProperties),
    ...templates.ofType("AWS::DynamoDB::GlobalTable", tableProperties),
  ];
  try {
    await Promise.all(tables.map((table) => createTable(client, table, fresh)));
  } finally {
    client.destroy();
  }
}

async function createTable(
  client: DynamoDBClient,
  { local: { ref: name }, properties }: ResolvedResource<TableProperties>,
  fresh: boolean,
): Promise<void> {
  const existing = await describe(client, name);
  if (existing && !fresh) {
    assertSameShape(name, existing, properties);
    return;
  }
  if (existing) {
    await client.send(new DeleteTableCommand({ TableName: name }));
    await waitUntilTableNotExists({ client, maxWaitTime: 10, minDelay: 1 }, { TableName: name });
  }
  await client.send(new CreateTableCommand(creation(name, properties)));
  if (properties.TimeToLiveSpecification) {
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: name,
        TimeToLiveSpecification: properties.TimeToLiveSpecification,
      }),
    );
  }
}

async function describe(
  client: DynamoDBClient,
  name: string,
): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

function creation(name: string, properties: TableProperties): CreateTableCommandInput {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, LocalSecondaryIndexes } =
    properties;
  return {
    TableName: name,
    KeySchema,
    AttributeDefinitions,
    BillingMode: "PAY_PER_REQUEST",
    ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
    ...(LocalSecondaryIndexes.length > 0 && { LocalSecondaryIndexes }),
  };
}

function assertSameShape(
  name: string,
  existing: TableDescription,
  properties: TableProperties,
): void {
  if (shape(existing) !== shape(properties)) {
    throw new Error(
      `Table ${name} has other keys or indexes than its template. Start with --fresh, which deletes all local data.`,
    );
  }
}

/** Returns the keys and indexes as text. Equal texts mean equal tables. */
function shape(table: TableDescription | TableProperties): string {
  const all = [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
  const described = all.map(
    (index) => `${index.IndexName} ${keys(index.KeySchema)} ${index.Projection?.ProjectionType}`,
  );
  return [keys(table.KeySchema), ...described.sort()].join("; ");
}

function keys(schema: TableDescription["KeySchema"]): string {
  return (schema ?? []).map((key) => `${key.KeyType}=${key.AttributeName}`).join(" ");
}
