import { assertNever } from "../../shared/base/assert.ts";
import { exportRun, type ExportRunDependencies } from "../../shared/exports/export-run.ts";
import { attemptDelivery } from "../../shared/webhooks/attempt-delivery.ts";
import { deliverRun, type DeliverRunDependencies } from "../../shared/webhooks/deliver-run.ts";
import type { WorkOutcome } from "../../shared/webhooks/work.ts";
import type { DeliveryMessage } from "./message.ts";

export type DeliverDependencies = DeliverRunDependencies & ExportRunDependencies;

/**
 * Does the work that a message points to, if it is due. Works for at most 120 s plus one attempt of
 * 15 s, and throws only when something of the service itself fails: the message must come again.
 */
export function deliver(
  message: DeliveryMessage,
  dependencies: DeliverDependencies,
): Promise<WorkOutcome> {
  const { kind, account_id: accountId, id } = message;
  switch (kind) {
    case "run":
      return deliverRun(accountId, id, dependencies);
    case "delivery":
      return attemptDelivery(accountId, id, dependencies);
    case "export":
      return exportRun(accountId, id, dependencies);
    default:
      return assertNever(kind);
  }
}
