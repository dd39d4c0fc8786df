import assert from "node:assert/strict";
import { dynamoDailyBudgetStore } from "../../../shared/aws/accounts/daily-budget-store.ts";
import { dynamoUsageStore } from "../../../shared/aws/accounts/usage-store.ts";
import { dynamoCreditChanges } from "../../../tools/credits/dynamo-credit-changes.ts";
import { dynamoLedger } from "../../../shared/aws/ledger/ledger.ts";
import { openShards } from "../../../shared/aws/ledger/open-shards.ts";
import { ledgerProcess } from "../../../shared/aws/ledger/process.ts";
import { readAccountRows } from "../../../shared/aws/ledger/read-shards.ts";
import { gatherCredits } from "../../../shared/aws/ledger/transfers.ts";
import { isInjected } from "../checks/failures.ts";
import {
  convertToPreviousRelease,
  type OldHold,
  reserveAsPreviousRelease,
  settleAsPreviousRelease,
} from "../previous-release.ts";
import type { Random } from "../random.ts";
import type { User, World } from "../world.ts";

/** An account whose clients make calls at the same time. */
export interface AccountPlan {
  /** The credits of the signup grant, which determine the first concurrency tier. */
  readonly granted: number;
  /**
   * The credits that the account has left when the calls start.
   * @default all of `granted`
   */
  readonly left?: number;
  /** The credits of a purchase during the calls. It can raise the account's concurrency tier. */
  readonly bought?: number;
  /** The daily budget of the account. */
  readonly budget?: number | undefined;
  /** True for an account in the format of the previous release that has open holds. */
  readonly isOld?: boolean;
  /** The number of holds that crashed calls left. They expire during the calls. */
  readonly abandoned?: number;
  /** The number of sweeper passes during the calls, in addition to the regular passes. */
  readonly sweeps?: number;
}

const few = (random: Random): number => random.between(3, 60);

/**
 * Draws an account: with one shard, with several shards and few credits, or with a purchase that
 * adds shards.
 */
export function accountPlan(random: Random): AccountPlan {
  const isOld = random.isHit(0.25);
  const plan = random.pick<(random: Random) => AccountPlan>([
    () => ({ granted: random.pick([0, 12, 40, 5_000]) }),
    () => ({ granted: random.pick([12, 40]), bought: random.between(1, 20) }),
    () => ({ granted: 25_000, left: few(random) }),
    () => ({ granted: 500_000, left: few(random) }),
    () => ({ granted: 24_995, left: few(random), bought: 10 }),
    () => ({ granted: 499_990, left: few(random), bought: 20 }),
  ])(random);
  const budget = random.isHit(0.4) ? random.pick([4, 12, 40]) : undefined;
  return { ...plan, isOld, budget };
}

/** Opens the planned account, and injects no faults. Returns its user. */
export async function openPlanned(world: World, name: string, plan: AccountPlan): Promise<User> {
  const user = await world.newUser(name, plan.granted);
  if (plan.isOld === true) await openOld(world, user, plan);
  else if (plan.left !== undefined) await spreadCredits(world, user, plan.left);
  if (plan.isOld !== true) await abandonHolds(world, user, plan.abandoned ?? 0);
  if (plan.isOld !== true && plan.budget !== undefined) await setBudget(world, user, plan.budget);
  return user;
}

async function setBudget(world: World, { accountId }: User, budget: number): Promise<void> {
  const usage = dynamoUsageStore(world.client, options(world));
  const budgets = dynamoDailyBudgetStore(world.client, { ...options(world), usage });
  await budgets.set(accountId, { budget, now: world.clock.now() });
  world.reached("an account had a daily budget");
}

/** Reserves holds that no process will settle. */
async function abandonHolds(world: World, { accountId }: User, holds: number): Promise<void> {
  const ledger = dynamoLedger(world.client, options(world));
  const now = world.clock.now();
  for (let n = 1; n <= holds; n += 1) {
    const holdId = `abandoned ${n}`;
    const expiresAt = new Date(now.getTime() + world.random.between(1, 4) * 500);
    const hold = { accountId, holdId, credits: 1, slot: true };
    await ledger.reserve({ ...hold, source: { requestId: holdId }, now, expiresAt });
    await world.idle();
  }
}

const options = ({ table, clock, randomSource }: World) => ({
  accountsTable: table,
  ledgerTable: table,
  clock,
  random: randomSource,
});

/** Spends the credits of an account except `left`, and moves one credit to most of its shards. */
async function spreadCredits(world: World, { accountId }: User, left: number): Promise<void> {
  const process = ledgerProcess(world.client, options(world));
  const now = world.clock.now();
  const rowsNow = async () => {
    const rows = await readAccountRows(process, accountId);
    assert(rows !== undefined, `${accountId} has no rows`);
    return rows.shards;
  };
  const [first, ...others] = await rowsNow();
  await spend(world, accountId, Number(first?.balance) - left);
  for (const { number } of others) {
    const wanted = { accountId, to: number, credits: 1, now };
    if (world.random.isHit(0.8)) await gatherCredits(process, wanted, await rowsNow());
  }
}

async function spend(world: World, accountId: string, credits: number): Promise<void> {
  const ledger = dynamoLedger(world.client, options(world));
  const now = world.clock.now();
  const hold = { accountId, holdId: "spent before", credits, now };
  const expiresAt = new Date(now.getTime() + 60_000);
  const source = { requestId: "spent before" };
  await ledger.reserve({ ...hold, slot: true, source, expiresAt });
  await world.idle();
  await ledger.settle({ ...hold, succeeded: true });
}

const oldHolds = (world: World): readonly (OldHold & { readonly settles: boolean })[] => {
  const now = world.clock.now();
  const hold = (holdId: string, slot: boolean, seconds: number) => ({
    holdId,
    credits: world.random.between(0, 2),
    slot,
    now,
    expiresAt: new Date(now.getTime() + seconds * 1_000),
    settles: world.random.isHit(0.5),
  });
  return [hold("old call", true, 90), hold("old call 2", true, 60), hold("old step", false, 300)];
};

/**
 * Converts an account to the format of the previous release, with open holds of calls and steps.
 */
async function openOld(world: World, user: User, plan: AccountPlan): Promise<void> {
  const { accountId } = user;
  const place = { client: world.client, table: world.table, accountId };
  const now = world.clock.now();
  await convertToPreviousRelease(place, now);
  const expiresAt = new Date(now.getTime() + 60_000);
  if (plan.left !== undefined) {
    const credits = plan.granted - plan.left;
    const spent = { holdId: "spent before", credits, slot: true, now, expiresAt };
    await reserveAsPreviousRelease(place, spent);
    await settleAsPreviousRelease(place, spent);
  }
  for (const hold of oldHolds(world)) {
    if (!(await reserveAsPreviousRelease(place, hold)) || !hold.settles) continue;
    // Settles as a process of the previous release does. The settlement fails once the account has
    // shards.
    inSeparateProcess(world, `${user.name} before`, async (client) => {
      await world.pause(world.random.between(0, 3) * 200);
      const settled = await settleAsPreviousRelease(
        { ...place, client },
        { ...hold, now: world.clock.now() },
      );
      world.reached(
        settled ? "the previous release settled" : "the previous release could not settle",
      );
    });
  }
}

/**
 * Starts the sweeper passes, the migration and the purchase that happen during the calls of an
 * account.
 */
export function beginOperators(world: World, user: User, plan: AccountPlan): void {
  const { accountId } = user;
  const { bought, sweeps = 0 } = plan;
  // All passes start at the same time, so that they overlap.
  const sweptInMs = sweeps === 0 ? 0 : world.random.between(5, 45) * 100;
  for (let n = 1; n <= sweeps; n += 1) {
    inSeparateProcess(world, `sweep ${n} of ${user.name}`, async (client) => {
      await world.pause(sweptInMs);
      const ledger = dynamoLedger(client, options(world));
      const released = await ledger.releaseExpired(accountId, world.clock.now());
      if (released > 0) world.reached("a sweep released holds during calls");
    });
  }
  if (plan.isOld === true && world.random.isHit(0.6)) {
    inSeparateProcess(world, `operator opens shards of ${user.name}`, async (client) => {
      await world.pause(world.random.between(0, 5) * 100);
      const opened = await openShards(ledgerProcess(client, options(world)), accountId);
      if (opened) world.reached("an operator opened the shards of an account");
    });
  }
  if (bought !== undefined) {
    inSeparateProcess(world, `purchase of ${user.name}`, async (client) => {
      await world.pause(world.random.between(0, 10) * 100);
      const changes = dynamoCreditChanges(client, options(world));
      const now = world.clock.now();
      const change = { accountId, changeId: "bought", type: "purchase", credits: bought } as const;
      await changes.apply({ ...change, now });
      world.reached("credits were bought during calls");
    });
  }
}

type Clients = NonNullable<ReturnType<World["overridesOfOther"]>["clients"]>;

/** Runs work in a separate process that may crash. */
function inSeparateProcess(
  world: World,
  name: string,
  work: (client: NonNullable<Clients["dynamo"]>) => Promise<void>,
): void {
  const { clients } = world.overridesOfOther();
  const client = clients?.dynamo;
  assert(client !== undefined, "the overrides have no DynamoDB client");
  world.tasks.begin(
    name,
    async () => {
      // `begin` runs the task up to its first call. This empty call lets the seed also determine
      // the order of the work that follows.
      await world.tasks.call({ label: "begins", effect: async () => {} });
      await work(client);
    },
    ({ error }) => {
      if (error instanceof Error && !isInjected(error.name, world.profile))
        world.reportViolation(error);
    },
  );
}
