import { type Difference, fieldDifferences } from "../base/difference.ts";
import type { Target } from "./outbox.ts";

/** What stands in a target's row, and the earliest of what it is owed; times are ISO 8601 UTC. */
export interface StoredTarget {
  readonly target: Target;
  /** When the sweeper has it worked off; null when it is not due. */
  readonly dueAt: string | null;
  /** Until when somebody is at it. */
  readonly leaseUntil: string | null;
  /** When the earliest entry is due; null when nothing is owed. */
  readonly owedAt: string | null;
}

/** A target that is owed something is due no later than that, or as soon as its lease ends. */
export function targetDifferences(stored: StoredTarget, now: Date): Difference[] {
  const { target, dueAt, leaseUntil, owedAt } = stored;
  if (owedAt === null || (dueAt !== null && leaseUntil !== null)) return [];
  const latest = [owedAt, now.toISOString()].reduce((a, b) => (a > b ? a : b));
  const isInTime = dueAt !== null && dueAt <= latest;
  const place = `${target.accountId} outbox ${target.targetId}`;
  return fieldDifferences(place, { due_at: dueAt }, { due_at: isInTime ? dueAt : owedAt });
}
