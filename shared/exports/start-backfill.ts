import * as v from "valibot";
import { conflict } from "../base/errors.ts";
import { bestEffort, type Warn } from "../base/best-effort.ts";
import { timestamp } from "../base/wire-schema.ts";
import { type KeptSpan, parseKeptSpan, keptSpanBody } from "../events/kept-span.ts";
import { destinationTarget, type Outbox, type OutboxQueue } from "../outbox/outbox.ts";
import { noDestination } from "./destination.ts";
import type { DestinationStore } from "./destination-store.ts";
import { backfillEntry } from "./export-entries.ts";

/** Body of `POST /v1/s3_destination/backfill`. */
export const backfillBody = keptSpanBody;

/** Response 202 of `POST /v1/s3_destination/backfill`. */
export const backfillResponse = v.object({
  object: v.literal("s3_backfill"),
  since: timestamp,
  until: timestamp,
});

export interface StartBackfillDependencies {
  readonly destinations: Pick<DestinationStore, "get">;
  readonly outbox: Pick<Outbox, "add">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

/**
 * Starts a backfill, which exports all runs of a time span again. Returns the time span. Each call
 * exports the runs again.
 * @throws 404 NOT_FOUND if the account has no destination; 409 CONFLICT if the destination is
 * disabled; 400 INVALID_PARAM if the time span is empty, ends in the future, or starts more than
 * `limits.eventRetentionDays` days ago
 */
export async function startBackfill(
  request: {
    readonly accountId: string;
    readonly wanted: v.InferOutput<typeof backfillBody>;
    readonly now: Date;
  },
  { destinations, outbox, queue, warn }: StartBackfillDependencies,
): Promise<KeptSpan> {
  const { accountId, wanted, now } = request;
  const destination = await destinations.get(accountId);
  if (destination === null) throw noDestination();
  if (!destination.enabled)
    throw conflict(
      "The S3 destination is disabled, so nothing would be written. Enable it first with PATCH /v1/s3_destination.",
    );
  const span = parseKeptSpan(wanted, now);
  const target = destinationTarget(accountId);
  await outbox.add(target, [backfillEntry(span, now)]);
  await bestEffort(() => queue.send([target], 0), warn);
  return span;
}
