import * as v from "valibot";
import { conflict, invalidParam, notFound } from "../base/errors.ts";
import { hint, type Warn } from "../base/hint.ts";
import { limits } from "../base/limits.ts";
import { timestamp } from "../base/wire-schema.ts";
import { destinationTarget, type Outbox, type OutboxQueue } from "../outbox/outbox.ts";
import type { DestinationStore } from "./destination-store.ts";
import { backfillEntry } from "./export-entries.ts";

const time = (name: string) => {
  const message = `'${name}' must be an ISO 8601 time with a zone, such as 2026-11-20T10:00:00Z.`;
  return v.pipe(
    v.string(message),
    v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/, message),
    v.check((text) => !Number.isNaN(Date.parse(text)), message),
  );
};

/** Body of `POST /v1/s3_destination/backfill`; bounds depend on the time and are checked later. */
export const backfillBody = v.object({
  since: v.pipe(
    time("since"),
    v.description(`At most ${limits.eventRetentionDays} days ago: events are kept no longer.`),
  ),
  until: v.optional(
    v.nullable(v.pipe(time("until"), v.description("Not in the future; absent: now."))),
  ),
});

/** 202 of `POST /v1/s3_destination/backfill`. */
export const backfillResponse = v.object({
  object: v.literal("s3_backfill"),
  since: timestamp,
  until: timestamp,
});

export interface Span {
  readonly since: string;
  readonly until: string;
}

export interface StartBackfillDependencies {
  readonly destinations: Pick<DestinationStore, "get">;
  readonly outbox: Pick<Outbox, "add">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

const retentionMs = limits.eventRetentionDays * 24 * 60 * 60 * 1_000;

/**
 * Owes every run that ended in a span of time to the account's destination anew.
 * @throws 400 INVALID_PARAM for a span out of bounds, 404 NOT_FOUND without a destination, 409
 *   CONFLICT while it is disabled.
 */
export async function startBackfill(
  request: {
    readonly accountId: string;
    readonly wanted: v.InferOutput<typeof backfillBody>;
    readonly now: Date;
  },
  { destinations, outbox, queue, warn }: StartBackfillDependencies,
): Promise<Span> {
  const { accountId, wanted, now } = request;
  const span = spanOf(wanted, now);
  const destination = await destinations.get(accountId);
  if (destination === null) throw notFound("An S3 destination");
  if (!destination.enabled) throw conflict("The S3 destination is disabled. Enable it first.");
  const target = destinationTarget(accountId);
  await outbox.add(target, [backfillEntry(span, now)]);
  await hint(() => queue.send([target], 0), warn);
  return span;
}

function spanOf(wanted: v.InferOutput<typeof backfillBody>, now: Date): Span {
  const since = Date.parse(wanted.since);
  const until = wanted.until === null || wanted.until === undefined ? null : wanted.until;
  const end = until === null ? now.getTime() : Date.parse(until);
  if (end > now.getTime()) throw invalidParam("until", "'until' must not be in the future.");
  if (since < now.getTime() - retentionMs) {
    throw invalidParam(
      "since",
      `'since' must be at most ${limits.eventRetentionDays} days ago: events are kept no longer.`,
    );
  }
  if (since >= end) throw invalidParam("since", "'since' must be before 'until'.");
  return { since: new Date(since).toISOString(), until: new Date(end).toISOString() };
}
