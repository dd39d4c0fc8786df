import type * as v from "valibot";
import { bestEffort, type Warn } from "../base/best-effort.ts";
import { type KeptSpan, parseKeptSpan, keptSpanBody } from "../events/kept-span.ts";
import { endpointTarget, type Outbox, type OutboxQueue } from "../outbox/outbox.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { endpointDisabled, type EndpointRef, existingEndpoint } from "./existing.ts";
import { recoverEntry } from "./outbox-entries.ts";

/** Body of `POST /v1/webhook_endpoints/{id}/recover`. */
export const recoverBody = keptSpanBody;

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

/**
 * Starts a recovery, which sends an endpoint those events of a time span that the endpoint did not
 * receive. Returns the time span.
 * @throws 404 NOT_FOUND for an unknown endpoint; 409 CONFLICT for a disabled endpoint; 400
 * INVALID_PARAM if the time span is empty, ends in the future, or starts more than
 * `limits.eventRetentionDays` days ago
 */
export async function startRecovery(
  request: RecoveryRequest,
  { endpoints, outbox, queue, warn }: StartRecoveryDependencies,
): Promise<KeptSpan> {
  const { accountId, endpointId, wanted, now } = request;
  const { enabled } = await existingEndpoint(request, endpoints);
  if (!enabled) {
    throw endpointDisabled(endpointId);
  }
  const span = parseKeptSpan(wanted, now);
  const target = endpointTarget(accountId, endpointId);
  await outbox.add(target, [recoverEntry(span, now)]);
  await bestEffort(() => queue.send([target], 0), warn);
  return span;
}
