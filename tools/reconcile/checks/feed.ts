import { type Difference, missing, present } from "../rules/difference.ts";
import { feedCheck, feedKeptSince } from "../rules/feed.ts";
import type { WebhookEndpoint } from "../../../shared/webhooks/endpoint.ts";
import { deliveriesOfRun, reportLostDeliveries, type RunDeliveries } from "../rules/delivery.ts";
import type { DeliveriesDependencies, PublishingAccount } from "./publishing-account.ts";

interface FeedCheck extends PublishingAccount {
  /** The current endpoints; an empty list if they cannot be read. */
  readonly endpoints: readonly WebhookEndpoint[];
}

interface FeedResult {
  readonly differences: readonly Difference[];
  /** The number of runs in the feed. */
  readonly runs: number;
}

/**
 * Checks that an account's event feed is consistent and contains each run of `ended`. For the
 * newest of these runs, also checks that each endpoint that must receive an event has a delivery of
 * this event. Returns the differences found, and the number of runs in the feed.
 */
export async function checkFeed(
  { id, openedAt, ended = [], endpoints }: FeedCheck,
  dependencies: DeliveriesDependencies,
): Promise<FeedResult> {
  const { rows, clock } = dependencies;
  const keptSince = feedKeptSince(clock.now());
  const check = feedCheck(id, { at: openedAt, keptSince, count: await rows.feedCount(id) });
  const differences: Difference[] = [];
  let runs = 0;
  for await (const entry of rows.feed(id)) {
    differences.push(...check.take(entry));
    runs += 1;
  }
  for await (const foundEntry of rows.feedByTime(id, keptSince))
    differences.push(...check.takeByTime(foundEntry));
  differences.push(...check.end(await rows.feedCount(id)));
  const wanted: RunDeliveries[] = [];
  for (const run of ended) {
    const types = check.typesOf(run.runId);
    if (types === null) differences.push(notPublished(run.place));
    else if (run.isNewest) wanted.push(...deliveriesOfRun(id, { run, types }, endpoints));
  }
  differences.push(...(await reportUndelivered(id, wanted, dependencies)));
  return { differences, runs };
}

/** Reports a finished run that is not in the feed. */
const notPublished = (place: string): Difference => ({
  place,
  field: "run in the feed",
  stored: missing,
  expected: present,
});

/**
 * Reports runs without a delivery. Reads the log last, because a first attempt deletes the outbox
 * entry and writes the log in one transaction.
 */
async function reportUndelivered(
  accountId: string,
  wanted: readonly RunDeliveries[],
  { rows, deliveries }: DeliveriesDependencies,
): Promise<Difference[]> {
  const known = async (some: readonly RunDeliveries[]): Promise<ReadonlySet<string>> => {
    const ids = some.flatMap(({ types }) => [...types.keys()]);
    return new Set((await deliveries.getMany(accountId, ids)).keys());
  };
  const logged = await known(wanted);
  const absent: RunDeliveries[] = [];
  for (const one of wanted) {
    if (reportLostDeliveries(one, logged).length === 0) continue;
    if (!(await rows.isPending(one.target, one.entry))) absent.push(one);
  }
  const again = await known(absent);
  return absent.flatMap((one) => reportLostDeliveries(one, again));
}
