import type { Random } from "../random.ts";
import type { AccountPlan } from "./calls-accounts.ts";

/** An account and its clients, which make calls at the same time. */
export interface Crowd {
  readonly plan: AccountPlan;
  /** The number of clients; undefined to draw one to four. */
  readonly clients: number | undefined;
  /** True if each client makes one cheap call, so that all calls occupy slots at the same time. */
  readonly isBrief: boolean;
  /**
   * The milliseconds within which the first calls start.
   * @default 0
   */
  readonly withinMs?: number;
}

/** Draws an account that has one or two shards, and more simultaneous calls than slots. */
export function crowd(random: Random): Crowd {
  const plan = random.pick<AccountPlan>([
    { granted: 5_000 },
    { granted: 25_000, left: random.between(10, 40) },
  ]);
  return { plan, clients: plan.granted < 25_000 ? 7 : 23, isBrief: true };
}

/**
 * The milliseconds over which many calls are spread, so that the rate limit of 50 calls per second
 * refuses no call.
 */
const mostWithinMs = 1_500;
const someWithinMs = 500;
/**
 * The milliseconds over which the calls of an account without shards are spread. It is short, so
 * that several calls migrate the account at the same time.
 */
const oldWithinMs = 50;
/** The slots of an account with 500,000 credits, which has five shards. */
const slotsOfFive = 50;

/**
 * Draws an account that has two or five shards, and more simultaneous calls than one shard has
 * slots. Its writes overlap: reservations, settlements, journal copies, transfers, purchases,
 * migrations and sweeper passes.
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
    // A crowd that uses all 50 slots, and credits that cover all calls.
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
