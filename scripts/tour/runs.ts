import type { ApiAnswer, ApiClient } from "../../tools/customer/api-client.ts";
import type { CustomerBucketAccess } from "../../tools/customer/bucket.ts";
import type { Narrator } from "./narrator.ts";
import type { Delivery } from "./verify-delivery.ts";
import { quantity } from "../../shared/base/quantity.ts";

/** Where the tour walks, and how the price of its item is made to move. */
export interface Walked {
  readonly baseUrl: string;
  /** Runs a command of the operators' tool on the place, and answers what it printed. */
  readonly admin: (...command: string[]) => Promise<Record<string, unknown>>;
  /** Ids to read; the first is the one whose price moves. */
  readonly ids: readonly [string, ...string[]];
  readonly movePrice: () => void | Promise<void>;
}

/** The same, with a customer's receiver and bucket that the service can reach. */
export interface Ground extends Walked {
  readonly receiver: TourReceiver;
  readonly bucket: CustomerBucketAccess;
}

export interface TourReceiver {
  /** Where the service is to deliver to; a path follows. */
  readonly url: string;
  /** Where the receiver tells what it got, and hears what to do next. */
  readonly controlUrl: string;
}

/** How long the tour waits for anything to come about. */
export const patienceSeconds = 20;

export interface RunSeen {
  readonly all: readonly Delivery[];
  readonly changed: readonly Record<string, unknown>[];
}

/** Waits for everything a run has to say to arrive. */
export async function runCompleted(
  ground: Ground,
  tell: Narrator,
  run: { readonly watchlistId: string; readonly runNumber: number },
): Promise<RunSeen> {
  const seen = await tell.wait(
    `run ${run.runNumber} at the receiver`,
    patienceSeconds,
    async () => {
      const all = await deliveriesOf(ground, run);
      return all.some((one) => parsed(one)["type"] === "watchlist.run.completed") ? all : undefined;
    },
  );
  for (const one of seen) tell.say(describeEvent(parsed(one)));
  const ids = seen.map((one) => String(parsed(one)["id"]));
  tell.check("run completed comes last", parsed(seen.at(-1))["type"] === "watchlist.run.completed");
  tell.check("each event arrived once", new Set(ids).size === ids.length);
  const changed = seen
    .map(parsed)
    .filter((event) => event["type"] === "watchlist.product.changed")
    .flatMap((event) => (event["data"] as { changes: Record<string, unknown>[] }).changes);
  return { all: seen, changed };
}

/** What the receiver got of a run so far. */
export async function deliveriesOf(
  ground: Ground,
  run: { readonly watchlistId: string; readonly runNumber: number },
): Promise<readonly Delivery[]> {
  const response = await fetch(`${ground.receiver.controlUrl}/deliveries`);
  const deliveries = (await response.json()) as Delivery[];
  return deliveries.filter((one) => {
    const data = parsed(one)["data"] as Record<string, unknown>;
    return data["watchlist_id"] === run.watchlistId && data["run_number"] === run.runNumber;
  });
}

/** The envelope in a delivery. */
export const parsed = (delivery: Delivery | undefined): Record<string, unknown> =>
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

/** Starts another run, once the one before is folded in. */
export async function runAgain(api: ApiClient, watchlistId: string, tell: Narrator): Promise<void> {
  const started = await tell.wait<ApiAnswer>(
    "the run before to be folded in",
    patienceSeconds,
    async () => {
      const answer = await api.send("POST", `/watchlists/${watchlistId}/run`);
      return answer.status === 409 ? undefined : answer;
    },
  );
  tell.check("the run is accepted", started.status === 202 && started.body["status"] === "running");
}
