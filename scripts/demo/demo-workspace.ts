import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { dynamoApiKeyStore } from "../../shared/aws/accounts/api-key-store.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { fillAccount } from "./fill-account.ts";
import { isFilled } from "./fill-workspace.ts";
import { apiClient } from "../../tools/customer/api-client.ts";
import { demoReceiverPath } from "../../tools/local/webhook-receiver.ts";
import type { World } from "../../tools/local/world.ts";

/**
 * Fills the local demo workspace with watchlists, runs, changes and deliveries. Does nothing if
 * every watchlist exists and has run twice.
 * @throws Error if the API refuses a call, or if a first run takes longer than two minutes
 */
export async function fillDemoWorkspace(world: World): Promise<void> {
  const reader = apiClient(world.baseUrl, world.demoApiKey);
  if (await isFilled(reader)) return;
  const { body } = await reader.get("/account");
  const { ACCOUNTS_TABLE: table = "" } = world.environmentOf("account");
  const client = documentClient();
  await fillAccount(
    {
      account: { id: String(body["id"]), demo: true },
      baseUrl: world.baseUrl,
      receiver: `${world.receiverUrl}${demoReceiverPath}`,
    },
    {
      accounts: dynamoAccountStore(client, { accounts: table }),
      keys: dynamoApiKeyStore(client, table),
      clock: systemClock,
      random: systemRandom,
    },
  );
}
