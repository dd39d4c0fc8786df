import { createHash, randomUUID } from "node:crypto";
import { CreateTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { inject } from "vitest";
import { engineClient } from "./engine-wire.ts";
import { tableDefinition } from "../../tools/local/table-definition.ts";

export interface TestTables {
  readonly client: DynamoDBDocumentClient;
  /** Creates a table with the service's keys and index. Returns its name. */
  create(): Promise<string>;
}

/**
 * Returns a client of the test run's DynamoDB engine, and a function that creates tables for this
 * caller only.
 */
export function openTables(): TestTables {
  const base = engineClient(inject("dynamodbEndpoint"));
  keepTokensApart(base);
  const client = DynamoDBDocumentClient.from(base, {
    marshallOptions: { removeUndefinedValues: true },
  });
  return {
    client,
    async create() {
      const name = `table-${randomUUID()}`;
      await client.send(new CreateTableCommand(tableDefinition(name)));
      return name;
    },
  };
}

/**
 * Makes the transaction tokens of this client unique. Different tests draw equal tokens, and an
 * engine compares the tokens of all tables.
 */
function keepTokensApart(client: DynamoDBClient): void {
  const own = randomUUID();
  client.middlewareStack.add(
    (next) => (args) => {
      const { ClientRequestToken: token } = args.input as { ClientRequestToken?: string };
      if (token === undefined) return next(args);
      const ClientRequestToken = createHash("md5").update(`${own}/${token}`).digest("hex");
      return next({ ...args, input: { ...args.input, ClientRequestToken } });
    },
    { step: "initialize" },
  );
}
