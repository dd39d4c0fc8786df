import { type ApiClient, apiClient } from "../../tools/customer/api-client.ts";
import type { Narrator } from "./narrator.ts";
import { waitSecondsMax, runAgain, type TourTarget } from "./runs.ts";
import {
  checkBalance,
  createWatchlist,
  openAccount,
  readProducts,
  reportChange,
} from "./run-tour.ts";

/**
 * Runs the tour for a service that can reach neither a receiver nor a bucket. Reads the events from
 * the feed. Checks that the delivery log states why no receiver got the events.
 * @param target The service. `unreachable` is an HTTPS address that looks public but does not
 * respond.
 * @throws Error if a check fails.
 */
export async function runUnreachableTour(
  target: TourTarget & { readonly unreachable: string },
  narrator: Narrator,
): Promise<void> {
  const api = apiClient(target.baseUrl, await openAccount(target, narrator));
  await readProducts(api, target, narrator);
  await refuseLoopback(api, target.unreachable, narrator);
  const watchlistId = await createWatchlist(api, target, narrator);
  await eventsOf(api, 1, narrator);
  narrator.chapter("The price changes; POST /v1/watchlists/{id}/run");
  await target.movePrice();
  await runAgain(api, watchlistId, narrator);
  const events = await eventsOf(api, 2, narrator);
  const changed = events
    .filter((event) => event["type"] === "watchlist.product.changed")
    .flatMap((event) => (event["data"] as { changes: Record<string, unknown>[] }).changes);
  reportChange(changed, target, narrator);
  await readLog(api, narrator);
  await checkBalance(api, narrator);
}

async function refuseLoopback(
  api: ApiClient,
  unreachable: string,
  narrator: Narrator,
): Promise<void> {
  narrator.chapter("A receiver and a bucket that the service must not call");
  const hook = await api.send("POST", "/webhook_endpoints", { url: "https://127.0.0.1:8443/" });
  narrator.check("a loopback receiver is refused", isRefused(hook, "url"));
  const bucket = await api.send("PUT", "/s3_destination", {
    bucket: "smoke",
    endpoint: "https://127.0.0.1:8443",
    access_key_id: "customer",
    secret_access_key: "customer-secret",
  });
  narrator.check("a loopback bucket is refused", isRefused(bucket, "endpoint"));
  const accepted = await api.send("POST", "/webhook_endpoints", {
    url: `${unreachable}/hooks/smoke`,
  });
  narrator.check("a public address that does not respond is registered", accepted.status === 201);
}

function isRefused(answer: Awaited<ReturnType<ApiClient["send"]>>, param: string): boolean {
  const error = answer.body["error"] as Record<string, unknown> | undefined;
  return answer.status === 400 && error?.["param"] === param;
}

async function eventsOf(
  api: ApiClient,
  runNumber: number,
  narrator: Narrator,
): Promise<Record<string, unknown>[]> {
  const events = await narrator.wait(`run ${runNumber} in the feed`, waitSecondsMax, async () => {
    const { body } = await api.get("/events?limit=100");
    const all = (body["data"] as Record<string, unknown>[]).filter(
      (event) => (event["data"] as Record<string, unknown>)["run_number"] === runNumber,
    );
    return all.some((event) => event["type"] === "watchlist.run.completed") ? all : undefined;
  });
  for (const event of events) narrator.note(`${String(event["type"])}  ${String(event["id"])}`);
  return events;
}

async function readLog(api: ApiClient, narrator: Narrator): Promise<void> {
  narrator.chapter("GET /v1/webhook_deliveries");
  const tried = await narrator.wait("an attempt in the log", waitSecondsMax, async () => {
    const { body } = await api.get("/webhook_deliveries?limit=100");
    const foundDelivery = (body["data"] as Record<string, unknown>[]).find(
      (one) => one["last_attempt_at"] !== null,
    );
    return foundDelivery === undefined
      ? undefined
      : api.get(`/webhook_deliveries/${String(foundDelivery["id"])}`);
  });
  const [attempt] = tried.body["attempts"] as Record<string, unknown>[];
  narrator.note(`the attempt ended with ${String(attempt?.["error"])}`);
  narrator.check(
    "the delivery was tried, and the log reports that the address does not respond",
    ["connection_failed", "connect_timeout", "timeout"].includes(String(attempt?.["error"])),
  );
}
