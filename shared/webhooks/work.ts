import type { Chance } from "../base/clock.ts";

/**
 * Which piece of outgoing work a row or message is about: a run's first attempts to one endpoint,
 * the further attempts of one delivery, or the export of one run.
 */
export interface WorkPointer {
  readonly kind: "run" | "delivery" | "export";
  readonly accountId: string;
  readonly id: string;
}

/** What becomes of the message that led to the work. */
export type WorkOutcome =
  | { readonly outcome: "done" }
  /** Comes again, after so many seconds when they are given. */
  | { readonly outcome: "retry"; readonly afterSeconds?: number };

/** What every row of outgoing work keeps about itself. */
export interface Work {
  /** `pending` until nothing is left to do. */
  readonly state: string;
  /** Attempts begun so far. */
  readonly attempt: number;
  /** ISO time from which the work may be taken; while it is leased, the end of the lease. */
  readonly dueAt: string | null;
  readonly leased: boolean;
}

/** The right to do a piece of work until `until`, held by whoever knows the token. */
export interface Lease {
  readonly token: string;
  readonly until: Date;
}

export interface Claim extends Lease {
  readonly now: Date;
  /** Number of the attempt that the claim begins. */
  readonly attempt: number;
}

/** Rows that are due, across accounts, for the sweeper. */
export interface DueWork {
  /** Work due at `now`, the longest due first. */
  due(now: Date, limit: number): Promise<readonly WorkPointer[]>;
}

/** Longer than the longest attempt, its 15 s and the writes around it, by a wide margin. */
const leaseSeconds = 60;
const leaseTokenBytes = 12;
/** The longest delay of a queue message; longer waits are left to the sweeper. */
const messageDelaySecondsMax = 900;

/** How long one message may keep working before the rest is handed to a new message. */
export const workSecondsMax = 120;

export const done: WorkOutcome = { outcome: "done" };

export const leaseUntil = (now: Date): Date => new Date(now.getTime() + leaseSeconds * 1_000);

export const newLease = (now: Date, chance: Chance): Lease => ({
  token: Buffer.from(chance.bytes(leaseTokenBytes)).toString("hex"),
  until: leaseUntil(now),
});

/**
 * Whether a message may take the work now. The row decides, not the message: one that is early or
 * a duplicate ends here.
 */
export function readinessOf(work: Work, now: Date): "ready" | WorkOutcome {
  if (work.state !== "pending" || work.dueAt === null) return done;
  const dueAt = new Date(work.dueAt);
  if (dueAt <= now) return "ready";
  const afterSeconds = messageDelay(dueAt, now);
  // A wait longer than a message can wait is left to the sweeper. A lease is waited out: whoever
  // holds it may have died over the work.
  return afterSeconds === null ? done : { outcome: "retry", afterSeconds };
}

/** Whole seconds until `dueAt` as a message can wait them, or null when it cannot wait so long. */
export function messageDelay(dueAt: Date, now: Date): number | null {
  const seconds = Math.max(0, Math.ceil((dueAt.getTime() - now.getTime()) / 1_000));
  return seconds <= messageDelaySecondsMax ? seconds : null;
}
