import { targetsAtOnceMax } from "./lease.ts";

/** The times of a delivery target on which the limit of its account depends. */
export interface TargetTimes {
  readonly targetId: string;
  readonly due: Date;
  /** End of the current or last lease. In the past if no worker has a lease. */
  readonly leaseUntil: Date;
}

/** The decision of the account's limit before a claim. `full`: no further target may be claimed. */
export type ClaimAllowed =
  | { readonly outcome: "full" }
  | {
      readonly outcome: "free";
      /** The other targets that are claimed. */
      readonly taken: readonly TargetTimes[];
      /**
       * True if other workers may claim targets at the same time, so that the limit could be
       * exceeded. The leases must then be read again after the claim.
       */
      readonly isContested: boolean;
      /**
       * True if other targets of the account wait, or may wait, until a claimed target is released.
       */
      readonly isCrowded: boolean;
    };

/**
 * Decides whether a worker may claim a delivery target, from the leases and due times of the
 * account's other targets. At most `targetsAtOnceMax` targets of an account are claimed at the same
 * time.
 */
export function beforeClaim(others: readonly TargetTimes[], now: Date): ClaimAllowed {
  const taken = others.filter((target) => isTaken(target, now));
  const waiting = others.filter((target) => isWaiting(target, now));
  if (taken.length >= targetsAtOnceMax) return { outcome: "full" };
  return {
    outcome: "free",
    taken,
    isContested: taken.length + waiting.length >= targetsAtOnceMax,
    isCrowded: taken.length === targetsAtOnceMax - 1 || waiting.length > 0,
  };
}

/**
 * Decides whether a claimed target stays claimed, if other workers claimed targets of the same
 * account at the same time. Each worker reads the leases of the others, and only the earliest
 * leases stay.
 * @param others the other targets, as read after the claim
 * @param taken the other targets that were already claimed before this claim
 */
export function keepsClaim(
  own: Pick<TargetTimes, "targetId" | "leaseUntil">,
  { others, taken }: Record<"others" | "taken", readonly TargetTimes[]>,
  now: Date,
): boolean {
  const before = new Set(taken.map(({ targetId }) => targetId));
  const earlier = others
    .filter((other) => isTaken(other, now))
    .filter((other) => before.has(other.targetId) || isBefore(other, own));
  return earlier.length < targetsAtOnceMax;
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

/** All leases have the same duration, so the lease that ends first has started first. */
const isBefore = (other: TargetTimes, own: Pick<TargetTimes, "targetId" | "leaseUntil">): boolean =>
  other.leaseUntil < own.leaseUntil ||
  (other.leaseUntil.getTime() === own.leaseUntil.getTime() && other.targetId < own.targetId);
