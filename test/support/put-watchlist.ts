import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { dynamoPageStore } from "../../shared/aws/watchlists/page-store.ts";
import { dynamoPurgeStore } from "../../shared/aws/watchlists/purge-store.ts";
import { dynamoWatchlistStore } from "../../shared/aws/watchlists/watchlist-store.ts";
import type { RandomSource, Clock } from "../../shared/base/clock.ts";
import type { Item } from "../../shared/watchlists/item.ts";
import type { Watchlist } from "../../shared/watchlists/watchlist.ts";

/**
 * Stores a watchlist with its items, as the API does. The items must be sorted by ID.
 * @throws Error if the watchlist already exists
 */
export async function putWatchlist(
  {
    client,
    ...options
  }: {
    readonly client: DynamoDBDocumentClient;
    readonly table: string;
    readonly clock: Clock;
    readonly random: RandomSource;
  },
  watchlist: Watchlist,
  items: readonly Item[],
): Promise<void> {
  const purgeAt = new Date(options.clock.now().getTime() + 3_600_000);
  await dynamoPurgeStore(client, options).expectCreation(watchlist, purgeAt);
  await dynamoPageStore(client, options).create(watchlist.id, items);
  const outcome = await dynamoWatchlistStore(client, options).create({
    watchlist,
    record: null,
    answer: "",
  });
  if (outcome !== "created")
    throw new Error(`The watchlist must be created (got the outcome ${outcome}).`);
}
