import { type EventType, type RunEvents, serializeEvent } from "../../../shared/events/event.ts";
import type { Random } from "../random.ts";

const minute = 60_000;

/** The size of a seed of deliveries. */
export interface DeliveryWorkload {
  readonly accounts: number;
  /** The total number of runs. */
  readonly runs: number;
  /** The largest number of events of one run. */
  readonly eventsMax: number;
  readonly endpointsMax: number;
  /** The number of actions of each user during deliveries. */
  readonly actions: number;
  /**
   * True if the endpoints stay disabled until all runs have ended, and then recover their events.
   */
  readonly isRecovery: boolean;
  /** How long all receivers fail at the start, in milliseconds; 0 for no outage. */
  readonly outageMs: number;
}

/** Draws the numbers of accounts, runs and endpoints for the deliveries of a seed. */
export function anyWorkload(random: Random): DeliveryWorkload {
  // Several runs end while their receiver fails.
  if (random.isHit(0.06)) {
    return {
      accounts: 1,
      runs: random.between(2, 4),
      eventsMax: 6,
      endpointsMax: 1,
      actions: random.pick([0, 0, 1]),
      isRecovery: false,
      outageMs: random.pick([2 * minute, 40 * minute, 8 * 60 * minute]),
    };
  }
  // A rare workload has more runs than a recovery or a backfill reads in one query.
  return random.isHit(0.012)
    ? {
        accounts: 1,
        runs: random.between(22, 30),
        eventsMax: random.pick([1, 1, 3]),
        endpointsMax: 1,
        actions: random.pick([0, 3]),
        isRecovery: random.isHit(0.7),
        outageMs: 0,
      }
    : {
        accounts: random.isHit(0.15) ? 2 : 1,
        runs: random.pick([1, 1, 1, 1, 2]),
        eventsMax: random.pick([1, 2, 3, 6]),
        endpointsMax: random.pick([1, 1, 1, 1, 2, 3]),
        actions: random.pick([0, 0, 1, 3]),
        isRecovery: false,
        outageMs: 0,
      };
}

const itemTypes: readonly EventType[] = [
  "watchlist.product.changed",
  "watchlist.product.matched",
  "watchlist.product.delisted",
];

export interface RunWanted {
  readonly accountId: string;
  readonly number: number;
  readonly endedAt: Date;
  readonly eventsMax: number;
  readonly webhookEndpointId: string | null;
}

/**
 * Returns the fields of an item event from which an export makes rows: `changes` of a changed
 * event, `products` of a delisted event, none of a matched event.
 */
function entriesOf(type: EventType, id: string, endedAt: Date): object {
  const at = endedAt.toISOString();
  const item = { id, step: "check" };
  const changes = { price: { before: 10, after: 8 }, inStock: { before: true, after: false } };
  if (type === "watchlist.product.changed") {
    return { changes: [{ ...item, changed_at: at, changes }] };
  }
  return type === "watchlist.product.delisted" ? { products: [{ ...item, delisted_at: at }] } : {};
}

/**
 * Draws the events of a finished run: item events in the order of their types, followed by the
 * completed event.
 */
export function anyRun(wanted: RunWanted, random: Random): RunEvents {
  const { accountId, number, endedAt, eventsMax, webhookEndpointId } = wanted;
  const runId = `wlrun_${String(number).padStart(4, "0")}`;
  const count = random.between(0, eventsMax - 1);
  const types = Array.from({ length: count }, () => random.pick(itemTypes)).toSorted(
    (a, b) => itemTypes.indexOf(a) - itemTypes.indexOf(b),
  );
  const events = [...types, "watchlist.run.completed" as const].map((type, part) =>
    serializeEvent(
      {
        id: `evt_${runId}_${part}`,
        type,
        created_at: endedAt.toISOString(),
        data: {
          run_id: runId,
          run_number: number,
          part,
          name: "caf\u00e9",
          filling: "x".repeat(random.between(0, 90)),
          ...entriesOf(type, `${number}${part}`, endedAt),
        },
      },
      type === "watchlist.run.completed" ? 0 : random.between(1, 9),
    ),
  );
  return {
    accountId,
    watchlistId: `wl_${1 + (number % 2)}`,
    runId,
    runNumber: number,
    runStartedAt: new Date(endedAt.getTime() - 90_000).toISOString(),
    webhookEndpointId,
    events,
  };
}
