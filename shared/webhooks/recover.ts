import * as v from "valibot";
import { conflict, invalidParam } from "../base/errors.ts";
import { hint, type Warn } from "../base/hint.ts";
import { limits } from "../base/limits.ts";
import { endpointTarget, type Outbox, type OutboxQueue } from "../outbox/outbox.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { type EndpointRef, existingEndpoint } from "./existing.ts";
import { recoverEntry } from "./outbox-entries.ts";

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

const timeField = (name: string) => {
  const message = `'${name}' is an ISO 8601 time with a zone, such as 2026-11-20T10:00:00Z.`;
  return v.pipe(
    v.string(message),
    v.regex(timeForm, message),
    v.check((text) => isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)), message),
  );
};

/** False for days such as February 30, which `Date` takes for one of the next month. */
function isDay(text: string): boolean {
  const day = new Date(text);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** Body of `POST /v1/webhook_endpoints/{id}/recover`; bounds depend on the time and come later. */
export const recoverBody = v.object({
  since: v.pipe(
    timeField("since"),
    v.description(`At most ${limits.eventRetentionDays} days ago: events are kept no longer.`),
  ),
  until: v.optional(
    v.nullable(v.pipe(timeField("until"), v.description("Not in the future; absent: now."))),
  ),
});

export interface StartRecoveryDependencies {
  readonly endpoints: Pick<EndpointStore, "get">;
  readonly outbox: Pick<Outbox, "add">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

export interface RecoveryRequest extends EndpointRef {
  readonly wanted: v.InferOutput<typeof recoverBody>;
  readonly now: Date;
}

/** Both inclusive, ISO 8601 UTC. */
export interface RecoverySpan {
  readonly since: string;
  readonly until: string;
}

/**
 * Owes an endpoint whatever happened in a span of time and did not reach it.
 * @throws 404 NOT_FOUND for an unknown endpoint, 409 CONFLICT for a disabled one, 400 INVALID_PARAM
 *   for a span out of bounds.
 */
export async function startRecovery(
  request: RecoveryRequest,
  { endpoints, outbox, queue, warn }: StartRecoveryDependencies,
): Promise<RecoverySpan> {
  const { accountId, endpointId, wanted, now } = request;
  const { enabled } = await existingEndpoint(request, endpoints);
  if (!enabled) {
    throw conflict("This webhook endpoint is disabled: nothing would be sent. Enable it first.");
  }
  const span = spanOf(wanted, now);
  const target = endpointTarget(accountId, endpointId);
  await outbox.add(target, [recoverEntry(span, now)]);
  await hint(() => queue.send([target], 0), warn);
  return span;
}

const retentionMs = limits.eventRetentionDays * 24 * 60 * 60 * 1_000;

function spanOf(wanted: RecoveryRequest["wanted"], now: Date): RecoverySpan {
  const since = Date.parse(wanted.since);
  const until = typeof wanted.until === "string" ? Date.parse(wanted.until) : now.getTime();
  if (since > now.getTime()) throw invalidParam("since", "'since' must not be in the future.");
  if (until > now.getTime()) {
    throw invalidParam("until", "'until' must not be in the future. Leave it out for now.");
  }
  if (since < now.getTime() - retentionMs) {
    throw invalidParam(
      "since",
      `'since' must be at most ${limits.eventRetentionDays} days ago: events are kept no longer.`,
    );
  }
  if (since >= until) throw invalidParam("since", "'since' must be before 'until'.");
  return { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}
