import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { createApiKey } from "../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../shared/aws/accounts/account-store.ts";
import { itemPageRow } from "../../../shared/aws/watchlists/page-row.ts";
import { watchlistKeys } from "../../../shared/aws/table/table.ts";
import { watchlistRow } from "../../../shared/aws/watchlists/watchlist-row.ts";
import { newId } from "../../../shared/base/ids.ts";
import { newItem } from "../../../shared/watchlists/item.ts";
import { countByState } from "../../../shared/watchlists/item-counts.ts";
import { cutPages } from "../../../shared/watchlists/page.ts";
import { defaultSettings, noLimits } from "../../../shared/watchlists/settings.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import type { User, World } from "../world.ts";

const rowsAtOnce = 25;

/** Writes `count` paused watchlists, each with one item, directly to the table, without faults. */
export async function fillWatchlists(world: World, user: User, count: number): Promise<void> {
  const { client, table, clock, randomSource } = world;
  const rows: object[] = [{ ...watchlistKeys.count(user.accountId), watchlists: count }];
  for (let n = 0; n < count; n += 1) {
    const id = newId("watchlist", clock.now(), randomSource);
    const at = clock.now().toISOString();
    const items = [newItem("11111", at)];
    const list: Watchlist = {
      id,
      accountId: user.accountId,
      name: `filler ${n}`,
      platform: "retailer_d",
      marketplace: "us",
      status: "paused",
      pausedReason: "user",
      schedule: { type: "every", every: "1d", everySeconds: 86_400 },
      pipeline: null,
      ...defaultSettings,
      ...noLimits,
      webhookEndpointId: null,
      webhookUrl: null,
      itemCounts: countByState(items),
      runCount: 0,
      consecutiveSkips: 0,
      refreshDue: false,
      overlaps: 0,
      runningRun: null,
      lastRunAt: null,
      lastRunStatus: null,
      nextRunAt: null,
      revision: 1,
      createdAt: at,
      updatedAt: at,
    };
    const bounds = { itemsMax: 1_000, bytesMax: 100_000 };
    const pages = cutPages({ lowest: "", upper: null }, items, bounds);
    rows.push({ ...watchlistKeys.watchlist(user.accountId, id), ...watchlistRow(list) });
    rows.push(...pages.map((page) => itemPageRow(id, page, { version: 1, hasSecondRow: false })));
  }
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const some = rows.slice(start, start + rowsAtOnce).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [table]: some } }));
  }
}

/** Creates `count` more API keys of an account, without faults. */
export async function fillKeys(world: World, user: User, count: number): Promise<void> {
  const { client, table, clock, randomSource } = world;
  const accounts = dynamoAccountStore(client, { accounts: table });
  const account = { id: user.accountId, demo: false };
  for (let n = 0; n < count; n += 1) {
    await createApiKey({ account, name: `filler ${n}` }, { accounts, clock, random: randomSource });
  }
}
