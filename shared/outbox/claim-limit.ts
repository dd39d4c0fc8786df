import { targetsAtOnceMax } from "./lease.ts";

/** The times of a delivery target on which the limit of its account depends. */
export interface TargetTimes {
  readonly targetId: string;
  readonly due: Date;
  /** End of the current or last lease. In the past if no worker has a lease. */
  readonly leaseUntil: Date;
  /**
   * Time of the claim of the current lease. Null if no worker has a lease, or if the lease holder
   * runs the previous release, which does not store this time.
   */
  readonly claimedAt: Date | null;
}

/**
 * Whether a worker may keep its claim of a target. `free`: the worker keeps it. `full`: the account
 * has reached `targetsAtOnceMax`, so the worker must release the target.
 */
export type LimitDecision =
  | { readonly outcome: "full" }
  | {
      readonly outcome: "free";
      /**
       * True if another target of the account waits for the release of a claimed target, or would
       * have to wait if it became due.
       */
      readonly isCrowded: boolean;
    };

/**
 * Decides whether a worker may keep its claim of a target. At most `targetsAtOnceMax` targets of an
 * account are claimed at a time. Several workers may claim targets of an account at the same time.
 * Each worker then reads the leases of the other targets, and only the earliest claims are kept.
 * @param own the claimed target and the time of the claim
 * @param others the other targets of the account, read after the claim
 */
export function afterClaim(
  own: { readonly targetId: string; readonly claimedAt: Date },
  others: readonly TargetTimes[],
  now: Date,
): LimitDecision {
  const taken = others.filter((target) => isTaken(target, now));
  const earlier = taken.filter((target) => !isLater(target, own));
  if (earlier.length >= targetsAtOnceMax) return { outcome: "full" };
  const isWaitedFor = others.some((target) => isWaiting(target, now));
  return { outcome: "free", isCrowded: taken.length >= targetsAtOnceMax - 1 || isWaitedFor };
}

/** Returns the targets that are due and not claimed, the longest waiting first. */
export const waitingTargets = <Target extends TargetTimes>(
  targets: readonly Target[],
  now: Date,
): readonly Target[] =>
  targets
    .filter((target) => isWaiting(target, now))
    .toSorted((one, other) => one.due.getTime() - other.due.getTime());

const isTaken = ({ leaseUntil }: TargetTimes, now: Date): boolean => leaseUntil > now;

const isWaiting = ({ due, leaseUntil }: TargetTimes, now: Date): boolean =>
  due <= now && leaseUntil <= now;

/**
 * Returns true if the target was claimed after the worker's own claim. Claims at the same time are
 * ordered by target ID, so that all workers decide alike. A claim without a time counts as earlier.
 */
function isLater(
  { targetId, claimedAt }: TargetTimes,
  own: { readonly targetId: string; readonly claimedAt: Date },
): boolean {
  if (claimedAt === null) return false;
  const difference = claimedAt.getTime() - own.claimedAt.getTime();
  return difference > 0 || (difference === 0 && targetId > own.targetId);
}
