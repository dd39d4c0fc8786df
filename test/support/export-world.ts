import { externalIdOf } from "../../shared/exports/destination.ts";
import type { AssumedRole, AssumeOutcome } from "../../shared/exports/role-credentials.ts";
import { destinationTarget, type DeliveryTarget } from "../../shared/outbox/outbox.ts";
import { startDeliveryWorld } from "./delivery-world.ts";

/**
 * Starts a delivery world that also has the operations on S3 destinations. Its simulated IAM roles
 * trust only the account `acct_1`.
 */
export async function startExportWorld() {
  const base = await startDeliveryWorld();
  return {
    stop: () => base.stop(),
    /** Opens an empty world with a separate clock. */
    async open() {
      const world = await base.open();
      const wakeUps: DeliveryTarget[] = [];
      const roles = {
        answer: { outcome: "failed", reason: "AccessDenied" } as AssumeOutcome,
        /** True if the roles accept any external ID. */
        acceptsEveryCaller: false,
        asked: [] as AssumedRole[],
        async assume(role: AssumedRole): Promise<AssumeOutcome> {
          roles.asked.push(role);
          return roles.acceptsEveryCaller || role.externalId === externalIdOf("acct_1")
            ? roles.answer
            : { outcome: "failed", reason: "AccessDenied" };
        },
      };
      Object.assign(world.exporting, { roles });
      const queue = {
        send: async (targets: readonly DeliveryTarget[]) => {
          wakeUps.push(...targets);
        },
      };
      return {
        ...world,
        roles,
        /** The targets of the wake-up messages that the operations sent, in order. */
        wakeUps,
        /** The dependencies of the operations on a destination. */
        registering: {
          ...world.registering,
          exports: world.exporting.exports,
          outbox: world.outbox,
          queue,
          roles,
          warn: () => {},
        },
        /** Drains the outbox of the account's S3 destination. */
        work: (accountId = "acct_1") => {
          const { targetId } = destinationTarget(accountId);
          return world.handleWakeUp({ account_id: accountId, target_id: targetId });
        },
      };
    },
  };
}

export type ExportWorld = Awaited<ReturnType<Awaited<ReturnType<typeof startExportWorld>>["open"]>>;
