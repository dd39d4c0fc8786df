import { dynamoAccountStore } from "../../shared/aws/account-store.ts";
import { dynamoApiKeyStore } from "../../shared/aws/api-key-store.ts";
import { documentClient } from "../../shared/aws/dynamo.ts";
import { systemChance, systemClock } from "../../shared/base/system.ts";
import { fillAccount } from "../demo/fill-account.ts";
import { isFilled } from "../demo/fill-workspace.ts";
import { apiClient } from "../tour/api-client.ts";
import { demoReceiverPath } from "./webhook-receiver.ts";
import type { World } from "./world.ts";

/** Gives the local demo workspace lists with runs, changes and deliveries, unless it has them. */
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
      chance: systemChance,
    },
  );
}
