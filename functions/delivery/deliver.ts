import { drain, type DrainDependencies } from "../../shared/outbox/drain.ts";
import { destinationTarget } from "../../shared/outbox/outbox.ts";
import type { ExportRecord } from "../../shared/exports/export-record.ts";
import type { DeliveryRecord } from "../../shared/webhooks/attempt-delivery.ts";
import type { DeliveryMessage } from "./message.ts";

export interface DeliverDependencies {
  readonly webhooks: DrainDependencies<DeliveryRecord>;
  readonly exports: DrainDependencies<ExportRecord>;
}

/**
 * Drains the outbox of a message's delivery target. Does nothing if no entry is due or another
 * worker holds the target's lease. Takes at most 30 s plus one attempt of 15 s.
 * @throws only if a part of the service fails, never because the receiver fails; SQS then delivers
 * the message again
 */
export function deliver(
  { account_id: accountId, target_id: targetId }: DeliveryMessage,
  { webhooks, exports }: DeliverDependencies,
): Promise<void> {
  const target = { accountId, targetId };
  return targetId === destinationTarget(accountId).targetId
    ? drain(target, exports)
    : drain(target, webhooks);
}
