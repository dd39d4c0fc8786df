import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import { newItem } from "../../../shared/watchlists/item.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { watchRows } from "../checks/previews.ts";
import { type Random, randomSourceOf, seededRandom } from "../random.ts";
import type { ApiRequest } from "../api.ts";
import type { User, World } from "../world.ts";

/**
 * The previews of a seed. They draw from separate random numbers, so that seeds without previews
 * stay the same.
 */
export interface Previews {
  /** Draws the next preview. */
  readonly next: () => Omit<ApiRequest, "key">;
  readonly count: number;
  /** Checks that the previews changed no stored row of their watchlist. */
  readonly assertUnchanged: () => Promise<void>;
}

const ids = Array.from({ length: 12 }, (_, n) => `B0${String(n).padStart(8, "0")}`);

/** A pipeline with one step for each scraper of retailer_a except `full`. */
const pipeline: Pipeline = {
  entry: "scan",
  baseline: null,
  refresh: null,
  steps: [
    { id: "scan", scraper: "retailer_a.pulse", routes: [{ when: "ok", run: "look" }] },
    {
      id: "look",
      scraper: "retailer_a.lite",
      routes: [
        { when: "ok", field: "price", op: "below", value: 11, run: "offers", notify: true },
        { when: "failed", notify: true },
      ],
    },
    { id: "offers", scraper: "retailer_a.offers", routes: [{ when: "ok", run: "check" }] },
    {
      id: "check",
      scraper: "retailer_a.offer_check",
      routes: [{ when: "ok", field: "buyable", op: "is", value: true, notify: true }],
    },
  ],
};

/** Opens a paused watchlist of a user for previews; undefined in most seeds. */
export async function openPreviews(world: World, user: User): Promise<Previews | undefined> {
  const random = seededRandom(world.seed, `previews of ${user.name}`);
  if (world.contention !== undefined || !random.isHit(0.3)) return undefined;
  const at = world.clock.now().toISOString();
  const watchlist = aWatchlist({
    id: `wl_${String(random.between(1, 1_000_000)).padStart(24, "0")}`,
    accountId: user.accountId,
    platform: "retailer_a",
    pipeline,
    status: "paused",
    pausedReason: "user",
    nextRunAt: null,
    itemCounts: { new: ids.length, active: 0, delisted: 0 },
    createdAt: at,
    updatedAt: at,
  });
  const { client, table, clock } = world;
  await putWatchlist(
    { client, table, clock, random: randomSourceOf(random) },
    watchlist,
    ids.map((id) => newItem(id, at)),
  );
  return {
    next: () => ({
      method: "POST",
      path: `/v1/watchlists/${watchlist.id}/preview`,
      body: { items: someItems(random) },
    }),
    count: random.between(1, 3),
    assertUnchanged: await watchRows(world, watchlist.id),
  };
}

/** Draws item IDs. An ID may occur twice; a preview must then read the item once. */
const someItems = (random: Random): string[] =>
  Array.from({ length: random.between(1, 6) }, () => random.pick(ids));
