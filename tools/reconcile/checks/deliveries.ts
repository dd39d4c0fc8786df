import { type Difference, fieldDifferences, missing, present } from "../rules/difference.ts";
import { entriesFor as entriesForExport } from "../rules/export.ts";
import {
  destinationTarget,
  endpointTarget,
  type OutboxEntry,
  type DeliveryTarget,
} from "../../../shared/outbox/outbox.ts";
import { targetDifferences } from "../rules/target.ts";
import type { WebhookEndpoint } from "../../../shared/webhooks/endpoint.ts";
import { entriesFor as entriesForDelivery, reportForgottenDelivery } from "../rules/delivery.ts";
import { checkFeed } from "./feed.ts";
import { confirm, type CheckResult } from "./confirmed.ts";
import { orUnreadable } from "./unreadable.ts";
import type { DeliveriesDependencies, PublishingAccount } from "./publishing-account.ts";

interface DeliveriesResult extends CheckResult {
  /** The number of pending deliveries and exports. */
  readonly pending: number;
  /** The number of runs in the feed. */
  readonly feedRuns: number;
}

/**
 * Checks an account's webhook endpoints, pending deliveries, exports and feed. Repeats the check up
 * to 8 times and returns only confirmed differences (see `confirm`), because the service keeps
 * writing.
 */
export const checkDeliveries = (
  account: PublishingAccount,
  dependencies: DeliveriesDependencies,
): Promise<DeliveriesResult> =>
  confirm(async () => {
    const { id } = account;
    let [pending, feedRuns] = [0, 0];
    const pendingEntries = async () => {
      const pendingResult = await pendingDifferences(id, dependencies);
      pending = pendingResult.pending;
      return pendingResult.differences;
    };
    let listed: readonly WebhookEndpoint[] = [];
    const endpoints = async () => {
      listed = await dependencies.endpoints.list(id);
      return endpointDifferences(id, listed, dependencies);
    };
    const feed = async () => {
      const feedResult = await checkFeed({ ...account, endpoints: listed }, dependencies);
      feedRuns = feedResult.runs;
      return feedResult.differences;
    };
    const differences = [
      ...(await orUnreadable(`${id} endpoints`, endpoints)),
      ...(await orUnreadable(`${id} deliveries and exports`, pendingEntries)),
      ...(await orUnreadable(`${id} feed`, feed)),
    ];
    return { pending, feedRuns, differences, isSteady: true };
  }, dependencies);

async function endpointDifferences(
  accountId: string,
  listed: readonly WebhookEndpoint[],
  { endpoints, rows, clock }: DeliveriesDependencies,
): Promise<Difference[]> {
  const differences = fieldDifferences(
    accountId,
    { webhook_endpoints: await endpoints.countEndpoints(accountId) },
    { webhook_endpoints: listed.length },
  );
  for (const { id, url } of listed) {
    const foundEndpoint = await endpoints.findByUrl(accountId, url);
    const place = `${accountId} ${id}`;
    const field = "endpoint found by its URL";
    differences.push(
      ...fieldDifferences(place, { [field]: foundEndpoint?.id ?? missing }, { [field]: id }),
    );
  }
  const ids = listed.map(({ id }) => id);
  const targets = await rows.targets(accountId, ids);
  const now = clock.now();
  return [...differences, ...targets.flatMap((target) => targetDifferences(target, now))];
}

/** Compares the pending deliveries and pending exports of an account with the outbox entries. */
async function pendingDifferences(
  accountId: string,
  dependencies: DeliveriesDependencies,
): Promise<{ readonly differences: Difference[]; readonly pending: number }> {
  const { deliveries, exports } = dependencies;
  const differences: Difference[] = [];
  let pending = 0;
  for await (const pendingOne of pendingDeliveries(accountId, dependencies)) {
    const { id } = pendingOne;
    differences.push(...reportForgottenDelivery(accountId, pendingOne));
    const pendingEntries = async () => {
      const delivery = await deliveries.get(accountId, id);
      if (delivery === null) return null;
      const target = endpointTarget(accountId, delivery.endpointId);
      return { target, entries: entriesForDelivery(delivery) };
    };
    differences.push(...(await missingEntries(id, pendingEntries, dependencies)));
    pending += 1;
  }
  for await (const { id } of pendingExports(accountId, dependencies)) {
    const pendingEntries = async () => {
      const record = await exports.get(accountId, id);
      if (record === null) return null;
      return { target: destinationTarget(accountId), entries: entriesForExport(record) };
    };
    differences.push(...(await missingEntries(id, pendingEntries, dependencies)));
    pending += 1;
  }
  return { differences, pending };
}

type PendingTarget = {
  readonly target: DeliveryTarget;
  readonly entries: readonly OutboxEntry[];
} | null;

/**
 * Reports outbox entries that are missing. Reads the log and the outbox again first, because an
 * attempt during the check removes its entry and updates the log.
 */
async function missingEntries(
  id: string,
  pendingEntries: () => Promise<PendingTarget>,
  { rows }: DeliveriesDependencies,
): Promise<Difference[]> {
  const before = await pendingEntries();
  if (before === null) return [];
  const { target } = before;
  const absent: OutboxEntry[] = [];
  for (const entry of before.entries) {
    if (!(await rows.isPending(target, entry))) absent.push(entry);
  }
  if (absent.length === 0) return [];
  const still = new Set((await pendingEntries())?.entries.map(({ dueAt }) => dueAt));
  return absent
    .filter(({ dueAt }) => still.has(dueAt))
    .map(({ dueAt }) => ({
      place: `${target.accountId} ${id}`,
      field: `outbox entry due ${dueAt}`,
      stored: missing,
      expected: present,
    }));
}

const rowsAtOnce = 100;

async function* pendingDeliveries(accountId: string, { deliveries }: DeliveriesDependencies) {
  let before: string | null = null;
  do {
    const wanted = { limit: rowsAtOnce, before, filter: { state: "pending" as const } };
    const page = await deliveries.list(accountId, wanted);
    yield* page.deliveries;
    before = page.lastId;
  } while (before !== null);
}

async function* pendingExports(accountId: string, { exports }: DeliveriesDependencies) {
  let before: string | null = null;
  do {
    const wanted = { limit: rowsAtOnce, before, state: "pending" as const };
    const page = await exports.list(accountId, wanted);
    yield* page.exports;
    before = page.lastId;
  } while (before !== null);
}
