import type { Random } from "../random.ts";
import type { AccountPlan } from "./calls-accounts.ts";

/** An account, and the clients that call it at once. */
export interface Crowd {
  readonly plan: AccountPlan;
  /** Undefined for one to four of them. */
  readonly clients: number | undefined;
  /** True when each client makes one cheap call, so that all calls hold slots at the same time. */
  readonly isBrief: boolean;
  /** The first calls begin within so many milliseconds. @default at once */
  readonly withinMs?: number;
}

/** An account with one or two shards and more calls at once than slots. */
export function crowd(random: Random): Crowd {
  const plan = random.pick<AccountPlan>([
    { granted: 5_000 },
    { granted: 25_000, left: random.between(10, 40) },
  ]);
  return { plan, clients: plan.granted < 25_000 ? 7 : 23, isBrief: true };
}

/** An API key admits 50 calls a second. */
const mostWithinMs = 1_500;
const someWithinMs = 500;
/** Short enough for several calls to migrate an account at once. */
const oldWithinMs = 50;
/** Slots of an account with 500,000 credits, over five shards. */
const slotsOfFive = 50;

/**
 * An account with two or five shards and more calls at once than a shard has slots. Its writes overlap:
 * reservations, settlements, copies of journals, transfers, purchases, migration and sweeps.
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
    // All 50 slots run out; the credits cover all calls.
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
