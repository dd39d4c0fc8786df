import type { Random } from "../random.ts";
import type { AccountPlan } from "./calls-accounts.ts";

/** An account and its concurrent clients. */
export interface Crowd {
  readonly plan: AccountPlan;
  /** Number of clients; undefined for one to four. */
  readonly clients: number | undefined;
  /** True when each client makes one cheap call, so that all calls use slots at the same time. */
  readonly isBrief: boolean;
  /** Time within which the first calls start, in milliseconds. @default 0 */
  readonly withinMs?: number;
}

/** Draws an account with one or two shards, and more concurrent calls than slots. */
export function crowd(random: Random): Crowd {
  const plan = random.pick<AccountPlan>([
    { granted: 5_000 },
    { granted: 25_000, left: random.between(10, 40) },
  ]);
  return { plan, clients: plan.granted < 25_000 ? 7 : 23, isBrief: true };
}

/** Long enough for the rate limit of 50 calls per second. */
const mostWithinMs = 1_500;
const someWithinMs = 500;
/** Short enough for several calls to migrate an account concurrently. */
const oldWithinMs = 50;
/** Slots of an account with 500,000 credits and five shards. */
const slotsOfFive = 50;

/**
 * Draws an account with two or five shards, and more concurrent calls than a shard has slots. Its
 * writes overlap: reservations, settlements, journal copies, transfers, purchases, migration, sweeps.
 */
export function contendedCrowd(random: Random): Crowd {
  const isOld = random.isHit(0.3);
  const common = { isOld, abandoned: random.between(2, 6), sweeps: random.between(2, 5) };
  const some = {
    clients: random.between(15, 40),
    withinMs: isOld ? oldWithinMs : someWithinMs,
    isBrief: random.isHit(0.3),
  };
  return random.pick<() => Crowd>([
    // All 50 slots are in use; the credits cover all calls.
    () => ({
      plan: { granted: 500_000, left: random.between(150, 400), ...common },
      clients: slotsOfFive + random.between(8, 14),
      withinMs: mostWithinMs,
      isBrief: true,
    }),
    () => ({ plan: { granted: 500_000, left: random.between(20, 150), ...common }, ...some }),
    () => ({
      plan: { granted: 499_990, left: random.between(20, 80), bought: 20, ...common },
      ...some,
    }),
    () => ({ plan: { granted: 25_000, left: random.between(10, 60), ...common }, ...some }),
  ])();
}
