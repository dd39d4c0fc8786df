import type { EventType } from "../events/event.ts";

/**
 * IDs in the data of test events. No watchlist and no run has these IDs, so a receiver can
 * distinguish a test event from an event of a run.
 */
const ids = { watchlist: "wl_test", run: "wlrun_test" };

const itemEvent = {
  watchlist_id: ids.watchlist,
  watchlist_name: "Test",
  platform: "retailer_d",
  marketplace: "us",
  currency: "USD",
  run_id: ids.run,
  run_number: 1,
  part: 1,
  parts: 1,
};

const item = {
  id: "9000001",
  label: "Test item",
  title: "A product that does not exist",
  step: "check",
  scraper: "retailer_d.standard",
};

const snapshot = { price: 89.99, inStock: true };

interface TestEvent {
  readonly type: EventType;
  /** Time of the event, ISO 8601. */
  readonly at: string;
  /** The endpoint that receives the event. */
  readonly endpointId: string;
}

type Data = Readonly<Record<string, unknown>>;

/** Returns the invented data of a test event, in the form of the events that runs send. */
export const sampleData = (event: TestEvent): Data => samples[event.type](event);

const samples: Readonly<Record<EventType, (event: TestEvent) => Data>> = {
  "watchlist.product.changed": ({ at }) => ({
    ...itemEvent,
    changes: [
      {
        ...item,
        changed_at: at,
        tier: "standard",
        changes: { price: { before: 99.99, after: snapshot.price } },
        snapshot,
      },
    ],
  }),
  "watchlist.product.matched": ({ at }) => ({
    ...itemEvent,
    products: [{ ...item, matched_at: at, branch: "ok", status: "ok", values: snapshot }],
  }),
  "watchlist.product.delisted": ({ at }) => ({
    ...itemEvent,
    products: [{ ...item, delisted_at: at, detected_by: "standard", last_snapshot: snapshot }],
  }),
  "watchlist.run.completed": ({ at }) => completedRun(at),
  "webhook.test": ({ endpointId }) => ({
    endpoint_id: endpointId,
    message: "A test of this webhook endpoint.",
  }),
};

const completedRun = (at: string) => ({
  id: ids.run,
  object: "watchlist_run",
  watchlist_id: ids.watchlist,
  run_number: 1,
  trigger: "manual",
  kind: "sweep",
  status: "completed",
  credits: 1,
  stats: {
    tracked: 1,
    entry: item.step,
    new_items: 0,
    steps: {
      [item.step]: {
        scraper: item.scraper,
        requested: 1,
        ok: 1,
        partial: 0,
        not_found: 0,
        unavailable: 0,
        credits: 1,
        skipped: 0,
      },
    },
    matched: 0,
    deferred: 0,
    changed: 0,
    notified: 0,
    delisted: 0,
    retry_next_run: 0,
  },
  error: null,
  started_at: at,
  finished_at: at,
  watchlist: null,
  events: { "watchlist.run.completed": 1 },
  // This digest matches no events, so the test event cannot be mistaken for the end of a real run.
  events_digest: `sha256:${"0".repeat(64)}`,
});
