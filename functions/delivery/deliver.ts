import { drain, type DrainDependencies } from "../../shared/outbox/drain.ts";
import { type DeliveryTarget, destinationTarget } from "../../shared/outbox/outbox.ts";
import type { ExportRecord } from "../../shared/exports/export-record.ts";
import type { DeliveryRecord } from "../../shared/webhooks/attempt-delivery.ts";

export interface DeliverDependencies {
  readonly webhooks: DrainDependencies<DeliveryRecord>;
  readonly exports: DrainDependencies<ExportRecord>;
}

/**
 * Drains the outbox of a delivery target. Does nothing if no entry is due or another
 * worker holds the target's lease. Takes at most 30 s plus one attempt of 15 s.
 * @throws only if a part of the service fails, never because the receiver fails; SQS then delivers
 * the message again
 */
export function deliver(
  target: DeliveryTarget,
  { webhooks, exports }: DeliverDependencies,
): Promise<void> {
  return target.targetId === destinationTarget(target.accountId).targetId
    ? drain(target, exports)
    : drain(target, webhooks);
}
