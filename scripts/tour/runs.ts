import type { ApiAnswer, ApiClient } from "../../tools/customer/api-client.ts";
import type { CustomerBucketAccess } from "../../tools/customer/bucket.ts";
import type { Narrator } from "./narrator.ts";
import type { ConnectTour } from "./clients/tour-client.ts";
import type { Delivery } from "./verify-delivery.ts";
import { quantity } from "../../shared/base/quantity.ts";

/** The world of a tour, with items whose price can change. */
export interface TourTarget {
  readonly baseUrl: string;
  /** Runs an admin command on the world; returns its output. */
  readonly admin: (...command: string[]) => Promise<Record<string, unknown>>;
  /**
   * The platform of the items.
   * @default "retailer_d"
   */
  readonly platform?: string;
  /** The IDs of items to read. The first item's price changes. */
  readonly ids: readonly [string, ...string[]];
  /** Changes the price of the first item; does nothing if the source changes it at every read. */
  readonly movePrice: () => void | Promise<void>;
}

/** A world whose service can reach a receiver and a bucket. */
export interface ReachableTarget extends TourTarget {
  /**
   * Creates the customer's client.
   * @default plain HTTP
   */
  readonly connect?: ConnectTour;
  readonly receiver: TourReceiver;
  readonly bucket: CustomerBucketAccess;
}

/** The webhook receiver of a tour. */
export interface TourReceiver {
  /** The base URL for deliveries. The URL of an endpoint is this URL followed by a path. */
  readonly url: string;
  /** The address for control requests to the receiver. */
  readonly controlUrl: string;
}

/** The longest wait of a tour, in seconds. It allows for a busy machine. */
export const waitSecondsMax = 120;

/** The deliveries of a run, and the entries of its `watchlist.product.changed` events. */
export interface RunDeliveries {
  readonly all: readonly Delivery[];
  readonly changed: readonly Record<string, unknown>[];
}

/**
 * Waits until all events of a run have arrived at the receiver, at most `waitSecondsMax` seconds.
 * Returns the deliveries of these events, and the changes that the events report.
 * @throws Error if the run's completed event does not arrive in time or is not the last event, or
 * if an event arrived twice.
 */
export async function waitForRun(
  target: ReachableTarget,
  narrator: Narrator,
  run: { readonly watchlistId: string; readonly runNumber: number },
): Promise<RunDeliveries> {
  const seen = await narrator.wait(
    `run ${run.runNumber} at the receiver`,
    waitSecondsMax,
    async () => {
      const all = await deliveriesOf(target, run);
      return all.some((one) => eventIn(one)["type"] === "watchlist.run.completed")
        ? all
        : undefined;
    },
  );
  for (const one of seen) narrator.note(describeEvent(eventIn(one)));
  const ids = seen.map((one) => String(eventIn(one)["id"]));
  narrator.check(
    "the last event is watchlist.run.completed",
    eventIn(seen.at(-1))["type"] === "watchlist.run.completed",
  );
  narrator.check("each event arrived once", new Set(ids).size === ids.length);
  const changed = seen
    .map(eventIn)
    .filter((event) => event["type"] === "watchlist.product.changed")
    .flatMap((event) => (event["data"] as { changes: Record<string, unknown>[] }).changes);
  return { all: seen, changed };
}

/** Returns the deliveries of a run that the receiver has received so far. */
export async function deliveriesOf(
  target: ReachableTarget,
  run: { readonly watchlistId: string; readonly runNumber: number },
): Promise<readonly Delivery[]> {
  const response = await fetch(`${target.receiver.controlUrl}/deliveries`);
  const deliveries = (await response.json()) as Delivery[];
  return deliveries.filter((one) => {
    const data = eventIn(one)["data"] as Record<string, unknown>;
    return data["watchlist_id"] === run.watchlistId && data["run_number"] === run.runNumber;
  });
}

/** Returns the event in a delivery; an empty object if the delivery is undefined. */
export const eventIn = (delivery: Delivery | undefined): Record<string, unknown> =>
  JSON.parse(delivery?.body ?? "{}") as Record<string, unknown>;

function describeEvent(event: Record<string, unknown>): string {
  const data = event["data"] as Record<string, unknown>;
  const stats = data["stats"] as Record<string, unknown> | undefined;
  const what =
    stats === undefined
      ? `part ${String(data["part"])} of ${String(data["parts"])}`
      : `${String(data["status"])}, ${quantity(Number(stats["tracked"]), "item")}, ${String(stats["changed"])} changed, ${quantity(Number(data["credits"]), "credit")}`;
  return `${String(event["type"])}  ${String(event["id"])}  ${what}`;
}

/**
 * Waits until the previous run has finished, at most `waitSecondsMax` seconds, and then starts
 * another run.
 * @throws Error if the previous run does not finish in time, or if the start is refused
 */
export async function runAgain(
  api: ApiClient,
  watchlistId: string,
  narrator: Narrator,
): Promise<void> {
  const started = await narrator.wait<ApiAnswer>(
    "the end of the previous run",
    waitSecondsMax,
    async () => {
      const answer = await api.send("POST", `/watchlists/${watchlistId}/run`);
      return answer.status === 409 ? undefined : answer;
    },
  );
  narrator.check(
    "the run is accepted",
    started.status === 202 && started.body["status"] === "running",
  );
}
