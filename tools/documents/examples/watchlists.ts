/** Examples of watchlist resources. */
import { defaultSettings, presentSettings } from "../../../shared/watchlists/settings.ts";

export const watchlistId = "wl_kp98cnpev5dpr2m3pkppwh2a";
export const runId = "wlrun_529bpc2380vzc32w85s602hg";

const counts = { new: 0, active: 2, delisted: 0 };

export const watchlist = {
  id: watchlistId,
  object: "watchlist",
  name: "Coffee",
  platform: "retailer_d",
  marketplace: "us",
  currency: "USD",
  status: "active",
  paused_reason: null,
  schedule: { type: "every", every: "15m", every_seconds: 900 },
  every: "15m",
  every_seconds: 900,
  ...presentSettings(defaultSettings),
  webhook_url: null,
  webhook_endpoint_id: null,
  webhook_endpoint_status: null,
  item_count: 2,
  items_by_state: counts,
  asin_count: 2,
  asins_by_state: counts,
  pipeline: {
    entry: "check",
    baseline: null,
    refresh: null,
    steps: [
      { id: "check", scraper: "retailer_d.standard", routes: [{ when: "changed", notify: true }] },
    ],
  },
  default_pipeline: true,
  estimated_credits: { pulseRun: 2, refreshRun: 2, newAsins: 0 },
  blocked_by_limit: null,
  daily_credits_used: null,
  run_count: 1,
  consecutive_skips: 0,
  last_run_at: "2026-11-21T01:09:35.668Z",
  last_run_status: "completed",
  next_run_at: "2026-11-21T01:24:35.668Z",
  next_run_times: [
    "2026-11-21T01:24:35.668Z",
    "2026-11-21T01:39:35.668Z",
    "2026-11-21T01:54:35.668Z",
    "2026-11-21T02:09:35.668Z",
    "2026-11-21T02:24:35.668Z",
  ],
  created_at: "2026-11-21T01:09:35.668Z",
  updated_at: "2026-11-21T01:09:35.668Z",
  url: `https://api.example.com/v1/watchlists/${watchlistId}`,
};

const snapshot = {
  price: 75.39,
  inStock: true,
  state: "ADD_TO_CART",
  regularPrice: 149.99,
  purchasable: true,
};

export const watchlistItem = {
  id: "9000001",
  object: "watchlist_item",
  label: "Kettle for the office",
  metadata: { target_price: 70 },
  title: "Northfield electric kettle, 1.7 l",
  url: "https://retailer-d.example/product/9000001",
  image: "https://retailer-d.example/images/9000001.jpg",
  seller_names: {},
  state: "active",
  added_at: "2026-11-21T01:09:35.668Z",
  first_read_at: "2026-11-21T01:09:36.120Z",
  last_read_at: "2026-11-21T01:39:37.402Z",
  last_read_status: "ok",
  consecutive_failures: 0,
  snapshot,
  snapshot_at: "2026-11-21T01:24:36.011Z",
  last_change: {
    changed_at: "2026-11-21T01:24:36.011Z",
    run_id: runId,
    run_number: 2,
    step: "check",
    scraper: "retailer_d.standard",
    tier: "standard",
    changes: { price: { before: 64.87, after: 75.39 } },
  },
  delisted_at: null,
  route_states: [],
};

export const run = {
  id: runId,
  object: "watchlist_run",
  watchlist_id: watchlistId,
  run_number: 2,
  trigger: "schedule",
  kind: "sweep",
  status: "completed",
  credits: 2,
  stats: {
    tracked: 2,
    entry: "check",
    new_items: 0,
    steps: {
      check: {
        scraper: "retailer_d.standard",
        requested: 2,
        ok: 2,
        partial: 0,
        not_found: 0,
        unavailable: 0,
        credits: 2,
        skipped: 0,
      },
    },
    matched: 0,
    deferred: 0,
    changed: 1,
    notified: 1,
    delisted: 0,
    retry_next_run: 0,
  },
  error: null,
  started_at: "2026-11-21T01:24:35.700Z",
  finished_at: "2026-11-21T01:24:36.400Z",
  watchlist: {
    id: watchlistId,
    name: "Coffee",
    platform: "retailer_d",
    marketplace: "us",
    status: "active",
    paused_reason: null,
    next_run_at: "2026-11-21T01:39:35.700Z",
  },
};

const hold = {
  changed_items: 1987,
  read_items: 2000,
  cause: "changed_items",
  max_changed_percent: 95,
  min_items: 50,
  notified: 1987,
  matched: 0,
  expires_at: null,
  decided_at: "2026-11-21T08:12:09.114Z",
};

export const releasedRun = {
  ...run,
  brake: { ...hold, status: "released", reason: null },
};

export const heldRun = {
  ...run,
  status: "held",
  stats: { ...run.stats, notified: 0 },
  brake: {
    ...hold,
    status: "held",
    expires_at: "2026-11-28T01:24:36.400Z",
    decided_at: null,
    reason: null,
  },
  held_changes: [
    {
      item_id: "9000001",
      label: "Kettle for the office",
      changed_at: "2026-11-21T01:24:36.100Z",
      step: "check",
      is_delisted: false,
      changes: {
        price: {
          kind: "price_rise",
          before: 54.78,
          after: 5478,
          last_known: 54.78,
          delta: 5423.22,
          delta_percent: 9900,
        },
      },
    },
  ],
};

export const discardedRun = {
  ...run,
  stats: { ...run.stats, notified: 0 },
  brake: { ...hold, status: "discarded", reason: "The source sent prices in cents." },
};
