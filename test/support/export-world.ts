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
        /** Makes the first write of a key that ends in `suffix` fail, as a store that is down does. */
        refuseOnce(suffix: string): void {
          const { buckets } = world.exporting;
          let isDown = true;
          Object.assign(world.exporting, {
            buckets: {
              open: (access: Parameters<typeof buckets.open>[0]) => {
                const bucket = buckets.open(access);
                const put: typeof bucket.put = async (object) => {
                  if (!isDown || !object.key.endsWith(suffix)) return bucket.put(object);
                  isDown = false;
                  return { outcome: "failed", reason: "SlowDown" };
                };
                return { ...bucket, put };
              },
            },
          });
        },
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
