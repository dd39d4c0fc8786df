import { drain, type DrainDependencies } from "../../shared/outbox/drain.ts";
import { assertNever } from "../../shared/base/assert.ts";
import { type DeliveryTarget, targetKind } from "../../shared/outbox/outbox.ts";
import type { ExportLogRecord } from "../../shared/exports/export-record.ts";
import type { DeliveryRecord } from "../../shared/webhooks/attempt-delivery.ts";

export interface DeliverDependencies {
  readonly webhooks: DrainDependencies<DeliveryRecord>;
  readonly exports: DrainDependencies<ExportLogRecord>;
  readonly bus: DrainDependencies<never>;
}

/**
 * Drains the outbox of a delivery target. Does nothing if no entry is due, or if another worker
 * holds the target's lease. Takes at most 30 s plus one attempt of 15 s.
 * @throws only if a part of the service fails, never because the receiver or the bus fails; SQS
 * then delivers the message again
 */
export function deliver(
  target: DeliveryTarget,
  { webhooks, exports, bus }: DeliverDependencies,
): Promise<void> {
  const kind = targetKind(target);
  switch (kind) {
    case "endpoint":
      return drain(target, webhooks);
    case "destination":
      return drain(target, exports);
    case "bus":
      return drain(target, bus);
    default:
      return assertNever(kind);
  }
}
