import { endpoint } from "./webhooks.ts";
import { run, watchlist, watchlistItem } from "./watchlists.ts";

const { last_change: change, label, metadata, title, url, image } = watchlistItem;
const details = { label, metadata, title, url, image };

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
        ...details,
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

const { changes: _changes, ...itemEventData } = eventChanged.data;

/** An item that matched a route with `when: ok`. */
export const eventMatched = {
  id: "evt_1m7xv93dgyexkfrp3w2953xc",
  type: "watchlist.product.matched",
  created_at: run.finished_at,
  data: {
    ...itemEventData,
    products: [
      {
        id: watchlistItem.id,
        ...details,
        matched_at: change.changed_at,
        step: change.step,
        scraper: change.scraper,
        branch: "ok",
        status: "ok",
        values: watchlistItem.snapshot,
      },
    ],
  },
};

export const eventDelisted = {
  id: "evt_1m7xv93dgyexkfrp3w2953xd",
  type: "watchlist.product.delisted",
  created_at: run.finished_at,
  data: {
    ...itemEventData,
    products: [
      {
        id: "9000002",
        title: "Northfield toaster, two slots",
        url: "https://retailer-d.example/product/9000002",
        delisted_at: change.changed_at,
        step: change.step,
        scraper: change.scraper,
        detected_by: change.tier,
        last_snapshot: watchlistItem.snapshot,
      },
    ],
  },
};

export const runCompletedEvent = {
  id: "evt_1m7xv93dgyexkfrp3w2953xe",
  type: "watchlist.run.completed",
  created_at: run.finished_at,
  data: {
    ...run,
    events: { "watchlist.product.changed": 1, "watchlist.run.completed": 1 },
    events_digest: `sha256:${"0123456789abcdef".repeat(4)}`,
  },
};

export const webhookTestEvent = {
  id: "evt_1m7xv93dgyexkfrp3w2953xf",
  type: "webhook.test",
  created_at: run.finished_at,
  data: { endpoint_id: endpoint.id, message: "A test of this webhook endpoint." },
};
