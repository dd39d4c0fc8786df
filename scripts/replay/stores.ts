import { CreateTableCommand } from "@aws-sdk/client-dynamodb";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { dynamoEndpointStore } from "../../shared/aws/deliveries/endpoint-store.ts";
import { dynamoHistoryStore } from "../../shared/aws/history/history-store.ts";
import { dynamoLedger } from "../../shared/aws/ledger/ledger.ts";
import { dynamoRunStore } from "../../shared/aws/runs/run-store.ts";
import { dynamoStepStore } from "../../shared/aws/runs/step-store.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { dynamoIdempotencyStore } from "../../shared/aws/watchlists/idempotency-store.ts";
import { dynamoPageStore } from "../../shared/aws/watchlists/page-store.ts";
import { dynamoPurgeStore } from "../../shared/aws/watchlists/purge-store.ts";
import { dynamoWatchlistStore } from "../../shared/aws/watchlists/watchlist-store.ts";
import type { Clock } from "../../shared/base/clock.ts";
import { systemRandom } from "../../shared/base/system.ts";
import { pointClientsAt } from "../../tools/local/aws-environment.ts";
import { tableDefinition } from "../../tools/local/table-definition.ts";

/**
 * Milliseconds for one attempt of a request. Longer than in the service, because the replay and its
 * DynamoDB share a machine, and the largest steps keep its processors busy for seconds.
 */
const attemptMs = 120_000;

const tables = { accounts: "accounts", ledger: "ledger", watchlists: "watchlists" } as const;

/**
 * Creates the tables in a DynamoDB engine, and returns the stores of the run engine.
 * @param endpoint address of the engine
 */
export async function createStores(endpoint: string, clock: Clock) {
  pointClientsAt({ dynamodb: endpoint });
  const client = documentClient("current", { attemptMs });
  for (const name of Object.values(tables)) {
    await client.send(new CreateTableCommand(tableDefinition(name)));
  }
  const base = { clock, random: systemRandom };
  const options = { table: tables.watchlists, ...base };
  return {
    accounts: dynamoAccountStore(client, { accounts: tables.accounts }),
    watchlists: dynamoWatchlistStore(client, options),
    pages: dynamoPageStore(client, options),
    purges: dynamoPurgeStore(client, options),
    keys: dynamoIdempotencyStore(client, options),
    runs: dynamoRunStore(client, options),
    steps: dynamoStepStore(client, options),
    history: dynamoHistoryStore(client, options),
    endpoints: dynamoEndpointStore(client, { tableName: tables.watchlists, ...base }),
    ledger: dynamoLedger(client, {
      accountsTable: tables.accounts,
      ledgerTable: tables.ledger,
      ...base,
    }),
    ...base,
  };
}
