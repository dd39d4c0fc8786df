import type { Clock } from "../base/clock.ts";
import { checkDestination, type CheckDestinationDependencies } from "./check-destination.ts";
import { requestRetry, type RequestRetryDependencies } from "./request-retry.ts";
import { noDestination } from "./destination.ts";
import { type DestinationFault, faultOf } from "./destination-fault.ts";
import type { DestinationStore } from "./destination-store.ts";

export interface TestDestinationDependencies
  extends CheckDestinationDependencies, RequestRetryDependencies {
  readonly destinations: Pick<DestinationStore, "get" | "report">;
  readonly clock: Clock;
}

/** The result of a test of an S3 destination. */
export interface DestinationTest {
  readonly ok: boolean;
  /** The error code, the field to change and the message; null if the test succeeded. */
  readonly failure: (DestinationFault & { readonly reason: string }) | null;
  readonly durationMs: number;
}

/**
 * Checks the account's destination, even if it is disabled, and stores the outcome in it. If the
 * check succeeds and the destination is enabled, its pending exports become due immediately.
 * @throws 404 NOT_FOUND if the account has no destination
 */
export async function testDestination(
  accountId: string,
  dependencies: TestDestinationDependencies,
): Promise<DestinationTest> {
  const { destinations, clock } = dependencies;
  const destination = await destinations.get(accountId);
  if (destination === null) throw noDestination();
  const startMs = clock.now().getTime();
  const checked = await checkDestination(accountId, destination, dependencies);
  const durationMs = clock.now().getTime() - startMs;
  const { revision } = destination;
  if (checked.outcome === "failed") {
    const { reason } = checked;
    await destinations.report(accountId, revision, { outcome: "unusable", error: reason });
    const failure = { ...faultOf(accountId, destination, checked), reason };
    return { ok: false, failure, durationMs };
  }
  await destinations.report(accountId, revision, { outcome: "usable" });
  if (destination.enabled) await requestRetry(accountId, clock.now(), dependencies);
  return { ok: true, failure: null, durationMs };
}
