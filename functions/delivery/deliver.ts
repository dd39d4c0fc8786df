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
 * Works off what the target of a message is owed, if anything is due and nobody is at it. Works for
 * at most 30 s plus one attempt of 15 s, and throws only when something of the service itself
 * fails: the message must come again.
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
