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

/** An account whose slots run out: of its only shard, or of both. */
export function crowd(random: Random): Crowd {
  const plan = random.pick<AccountPlan>([
    { granted: 5_000 },
    { granted: 25_000, left: random.between(10, 40) },
  ]);
  return { plan, clients: plan.granted < 25_000 ? 7 : 23, isBrief: true };
}

/** An API key admits 50 calls a second: more calls at once would be refused for their rate. */
const mostWithinMs = 1_500;
const someWithinMs = 500;
/** Calls have to reach an account of the previous release before the first of them has opened it. */
const oldWithinMs = 50;
/** Slots of an account with 500,000 credits, over five shards. */
const slotsOfFive = 50;

/**
 * An account with several shards and more calls at once than a shard has slots, whose writes meet:
 * calls, copies of journals, transfers, growth, the move from the previous release, and sweeps.
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
    // All slots of all shards run out, and credits do not.
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
