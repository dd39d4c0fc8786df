import { run, watchlist, watchlistItem } from "./watchlists.ts";

const { last_change: change } = watchlistItem;

/** An event for a change in the example run. */
export const eventChanged = {
  id: "evt_1m7xv93dgyexkfrp3w2953xb",
  type: "watchlist.product.changed",
  created_at: run.finished_at,
  data: {
    watchlist_id: watchlist.id,
    watchlist_name: watchlist.name,
    platform: watchlist.platform,
    marketplace: watchlist.marketplace,
    currency: watchlist.currency,
    run_id: run.id,
    run_number: run.run_number,
    part: 1,
    parts: 1,
    changes: [
      {
        id: watchlistItem.id,
        changed_at: change.changed_at,
        tier: change.tier,
        step: change.step,
        scraper: change.scraper,
        changes: change.changes,
        snapshot: watchlistItem.snapshot,
      },
    ],
  },
};
