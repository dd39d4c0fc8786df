import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { dynamoApiKeyStore } from "../../shared/aws/accounts/api-key-store.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { fillAccount } from "./fill-account.ts";
import { isFilled, listsOf } from "./fill-workspace.ts";
import { largeLists } from "./lists.ts";
import { type ApiClient, apiClient } from "../../tools/customer/api-client.ts";
import { demoReceiverPath } from "../../tools/local/webhook-receiver.ts";
import type { World } from "../../tools/local/world.ts";
import { writeCharges } from "../../tools/past/write-charges.ts";
import { planPast, writePast } from "../../tools/past/write-past.ts";

/**
 * Fills the local demo workspace: watchlists with runs, changes and deliveries, and paused
 * watchlists of thousands of items with an invented past of 90 days. Does nothing if every watchlist
 * exists and has run twice.
 * @throws Error if the API refuses a call, or if a first run takes longer than two minutes
 */
export async function fillDemoWorkspace(world: World): Promise<void> {
  const reader = apiClient(world.baseUrl, world.demoApiKey);
  const { body } = await reader.get("/account");
  await writeLists(world, reader, String(body["id"]));
  if (await isFilled(reader)) return;
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

/** Writes the large watchlists that are missing. */
async function writeLists(world: World, reader: ApiClient, accountId: string): Promise<void> {
  const there = new Set((await listsOf(reader)).map(({ name }) => name));
  const planned = largeLists()
    .filter(({ name }) => !there.has(name))
    .map((list) => planPast({ accountId, ...list }));
  // The charges come first, so that an interrupted start leaves no run without its charge.
  await writeCharges(world, accountId, planned);
  for (const one of planned) await writePast(world, one);
}
