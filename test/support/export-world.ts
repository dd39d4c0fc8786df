import { externalIdOf } from "../../shared/exports/destination.ts";
import type { AssumedRole, AssumeOutcome } from "../../shared/exports/role-credentials.ts";
import { destinationTarget, type Target } from "../../shared/outbox/outbox.ts";
import { startDeliveryWorld } from "./delivery-world.ts";

/** The world of deliveries, with everything of the export's operations on it, and roles of AWS that trust `acct_1`. */
export async function startExportWorld() {
  const base = await startDeliveryWorld();
  return {
    stop: () => base.stop(),
    /** An empty world with a clock of its own. */
    async open() {
      const world = await base.open();
      const hints: Target[] = [];
      const roles = {
        answer: { outcome: "failed", reason: "AccessDenied" } as AssumeOutcome,
        /** Whether they let the service in under any external id. */
        trustAnybody: false,
        asked: [] as AssumedRole[],
        async assume(role: AssumedRole): Promise<AssumeOutcome> {
          roles.asked.push(role);
          return roles.trustAnybody || role.externalId === externalIdOf("acct_1")
            ? roles.answer
            : { outcome: "failed", reason: "AccessDenied" };
        },
      };
      Object.assign(world.exporting, { roles });
      const queue = {
        send: async (targets: readonly Target[]) => {
          hints.push(...targets);
        },
      };
      return {
        ...world,
        roles,
        /** Targets that operations woke, in order. */
        hints,
        /** What the operations on a destination work with. */
        registering: {
          ...world.registering,
          exports: world.exporting.exports,
          outbox: world.outbox,
          queue,
          roles,
          warn: () => {},
        },
        /** Works off everything that is due to the account's destination. */
        work: (accountId = "acct_1") => {
          const { targetId } = destinationTarget(accountId);
          return world.deliverHint({ account_id: accountId, target_id: targetId });
        },
      };
    },
  };
}

export type ExportWorld = Awaited<ReturnType<Awaited<ReturnType<typeof startExportWorld>>["open"]>>;
