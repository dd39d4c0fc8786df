import assert from "node:assert/strict";
import { createAccount } from "../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { openShards } from "../../shared/aws/ledger/open-shards.ts";
import { readAccountRows } from "../../shared/aws/ledger/read-shards.ts";
import { gatherCredits } from "../../shared/aws/ledger/transfers.ts";
import {
  type PairProcess,
  pairProcess,
  type PairScene,
  pairScene,
  start,
} from "./ledger-pair-process.ts";
import {
  convertToPreviousRelease,
  reserveAsPreviousRelease,
  settleAsPreviousRelease,
} from "./previous-release.ts";
import { randomSourceOf, seededRandom } from "./random.ts";
import type { Stage } from "./stage.ts";

const expiresAt = new Date("2026-03-01T12:10:00Z");
/** A time at which the holds of a pair have expired, except holds that are reserved for longer. */
export const afterExpiry = new Date("2026-03-01T12:10:01Z");
const muchLater = new Date("2026-03-01T13:00:00Z");
/** A time at which all holds of a pair have expired. */
export const afterAll = new Date("2026-03-01T13:00:01Z");
/**
 * The credits of the account, and the credits of each hold. The balance covers the hold `one` or
 * the hold `another`, but not both. The hold `bystander` stays open.
 */
export const credits = {
  granted: 20,
  one: 5,
  another: 12,
  step: 5,
  bystander: 6,
  bought: 7,
} as const;

/**
 * The result that the caller of a step gets: the charge of a hold, `done`, or `unknown` after a
 * fault.
 */
export type StepResult = { readonly holdId: string; readonly credits: number } | "done" | "unknown";
type Step = (process: PairProcess, scene: PairScene) => Promise<StepResult>;

const settle =
  (holdId: "one" | "step", charge: number): Step =>
  async ({ ledger, now }, { accountId }) => {
    const hold = { accountId, holdId, now };
    const settled = await ledger.settle({ ...hold, credits: charge, succeeded: true });
    return { holdId, credits: settled.credits };
  };

type HoldName = "one" | "another" | "bystander" | "step";
const reserve =
  (holdId: HoldName, until = expiresAt): Step =>
  async ({ ledger, leastBalance, now }, { accountId }) => {
    const hold = { accountId, holdId, credits: credits[holdId], slot: holdId !== "step" };
    const source = holdId === "step" ? { runId: "run", step: "step" } : { requestId: holdId };
    const { outcome } = await ledger.reserve({ ...hold, source, now, expiresAt: until });
    assert.notEqual(outcome, "no_slot", `${holdId} was refused although slots are free`);
    if (outcome === "insufficient") {
      const least = leastBalance();
      assert(
        least < credits[holdId],
        `${holdId} was refused although the balance was at least ${least} credits`,
      );
    }
    return "done";
  };

const oldHold = (holdId: "one" | "another" | "bystander", until = expiresAt) => ({
  holdId,
  credits: credits[holdId],
  slot: true,
  now: start,
  expiresAt: until,
});

/** The ledger steps that a pair can contain, by name. */
export const steps = {
  reserve: reserve("one"),
  "reserve another": reserve("another"),
  /**
   * The sweeper, which runs after the pair, does not release this hold, because the hold expires
   * later.
   */
  "reserve for longer": reserve("another", muchLater),
  "reserve a step": reserve("step"),
  settle: settle("one", 3),
  "settle for more": settle("one", 5),
  "settle for nothing": settle("one", 0),
  "settle a step": settle("step", 3),
  async release({ ledger, now }, { accountId }) {
    await ledger.release({ accountId, holdId: "one", now });
    return "done";
  },
  async cancel({ ledger, now }, { accountId }) {
    await ledger.cancel({ accountId, holdId: "one", now });
    return "done";
  },
  /** Cancels a hold that is already settled. */
  async "cancel a charge"({ ledger, now }, { accountId }) {
    await ledger.cancel({ accountId, holdId: "one", now });
    return "done";
  },
  async sweep({ ledger }, { accountId }) {
    await ledger.releaseExpired(accountId, afterExpiry);
    return "done";
  },
  async purchase({ changes, now }, { accountId }) {
    const change = { changeId: "bought", type: "purchase", credits: credits.bought } as const;
    await changes.apply({ ...change, accountId, now });
    return "done";
  },
  /** Moves credits from the other shards to the shard with the lowest balance. */
  async gather({ process, now }, { accountId }) {
    const { shards = [] } = (await readAccountRows(process, accountId)) ?? {};
    const [poorest] = shards.toSorted((a, b) => a.balance - b.balance);
    if (poorest === undefined || shards.length === 1) return "done";
    const wanted = { accountId, to: poorest.number, credits: poorest.balance + 5, now };
    await gatherCredits(process, wanted, shards);
    return "done";
  },
  /** Migrates an account of the previous release to shards. */
  async open({ process }, { accountId }) {
    await openShards(process, accountId);
    return "done";
  },
  /** Reserves credits with the code of the previous release. */
  async "old reserve"({ client }, { table, accountId }) {
    await reserveAsPreviousRelease({ client, table, accountId }, oldHold("another"));
    return "done";
  },
  /** Settles a hold with the code of the previous release. */
  async "old settle"({ client }, { table, accountId }) {
    await settleAsPreviousRelease({ client, table, accountId }, oldHold("one"));
    return "done";
  },
} satisfies Record<string, Step>;
export type StepName = keyof typeof steps;

/** The kinds of accounts that a pair can use. */
export type AccountKind =
  | "one shard"
  | "without bystander"
  | "long journal"
  | "two shards"
  | "growing"
  | "previous release";

type Pairs = readonly (readonly [outer: StepName, inner: readonly StepName[]])[];
const resolutions = ["settle", "settle for nothing", "release", "cancel", "sweep"] as const;
const reservations = ["reserve", "reserve another"] as const;
const pairsOf = (outers: readonly StepName[], inners: readonly StepName[]): Pairs =>
  outers.map((outer) => [outer, inners]);

/** The outer steps of each kind of account, with the inner steps that run during them. */
export const pairs: Readonly<Record<AccountKind, Pairs>> = {
  "one shard": [
    ["reserve", [...reservations, "release", "cancel", "sweep", "purchase"]],
    ...pairsOf(resolutions, [
      "reserve another",
      "settle",
      "settle for more",
      "release",
      "cancel",
      "sweep",
      "purchase",
    ]),
    ["cancel a charge", ["cancel a charge", "reserve another", "settle", "purchase"]],
    ["reserve a step", ["reserve a step", "reserve", "purchase"]],
    ["settle a step", ["settle a step", "reserve another", "sweep"]],
  ],
  // No hold stays open, so that the shards leave the due index.
  "without bystander": [
    ["sweep", ["reserve for longer"]],
    ["cancel a charge", ["cancel a charge"]],
  ],
  "long journal": [
    ...pairsOf(["reserve", "reserve a step"], ["reserve", "reserve a step", "cancel", "purchase"]),
    ...pairsOf(["settle", "cancel"], ["reserve another", "settle", "cancel", "sweep"]),
    ["settle a step", ["settle a step", "reserve another", "sweep"]],
  ],
  "two shards": [
    ...pairsOf(reservations, [...reservations, "gather", "purchase", "sweep", "cancel"]),
    ...pairsOf(["settle", "cancel"], ["settle", "reserve another", "gather", "cancel", "sweep"]),
    ["gather", ["reserve", "reserve another", "gather", "purchase"]],
    ["reserve a step", ["reserve another", "gather", "reserve a step"]],
    ["purchase", ["purchase", "gather", "reserve another"]],
    ["cancel a charge", ["cancel a charge", "gather"]],
  ],
  growing: [
    ["purchase", ["purchase", "reserve", "reserve another", "reserve a step"]],
    ["reserve another", ["purchase"]],
    ["settle", ["purchase"]],
  ],
  "previous release": [
    ["reserve another", ["reserve another", "open", "old settle", "old reserve", "cancel"]],
    ...pairsOf(["settle", "cancel", "sweep"], ["settle", "open", "old settle", "cancel"]),
    ["open", ["open", "reserve another", "settle", "old settle", "old reserve", "purchase"]],
    ["purchase", ["open", "old settle"]],
    ["cancel a charge", ["cancel a charge", "open"]],
  ],
};

/**
 * The hold that each step resolves, if it resolves one. The hold is reserved before the pair
 * starts.
 */
const resolves: Readonly<Partial<Record<StepName, HoldName>>> = {
  settle: "one",
  "settle for nothing": "one",
  release: "one",
  cancel: "one",
  "cancel a charge": "one",
  sweep: "one",
  "settle a step": "step",
};

/** The credits of the signup grant, which determine the number of shards. */
const granted: Readonly<Record<AccountKind, number>> = {
  "one shard": 30,
  // Part of the granted credits is spent before the steps. Otherwise, a second refund of the same
  // charge would fail, because the account would have no other spent credits.
  "without bystander": 30,
  "long journal": credits.granted,
  "two shards": 25_000,
  growing: 24_995,
  "previous release": 30,
};

/**
 * The number of records in the journal before the outer and inner step run. The next record makes
 * the journal long enough to be copied to a page.
 */
const longJournal = 7;

/**
 * The time of the outer step. It is later than the time of the inner step, because a shard refuses
 * a change whose stamp is equal to its newest stamp, or older.
 */
const ahead = new Date(start.getTime() + 1_000);

export interface Prepared {
  readonly scene: PairScene;
  /** The process that runs the outer step. */
  readonly outerProcess: PairProcess;
  readonly bystander: PairProcess;
}

/**
 * Opens an account, reserves the hold that the outer step resolves, and starts the checks of the
 * ledger.
 * @param options.isReservedByOuter true if the process of the outer step reserves that hold
 */
export async function prepare(
  stage: Pick<Stage, "client" | "table">,
  {
    kind,
    outer,
    isReservedByOuter,
    name,
  }: { kind: AccountKind; outer: StepName; isReservedByOuter: boolean; name: string },
): Promise<Prepared> {
  const scene = pairScene(stage, await openAccount(stage, granted[kind], name));
  const outerProcess = pairProcess(scene, ahead);
  const [bystander, setup] = [pairProcess(scene), pairProcess(scene)];
  const hold = resolves[outer];
  if (kind === "previous release") {
    const place = { ...stage, accountId: scene.accountId };
    await convertToPreviousRelease(place, start);
    const spent = { ...oldHold("one"), holdId: "spent", credits: granted[kind] - credits.granted };
    await reserveAsPreviousRelease(place, spent);
    await settleAsPreviousRelease(place, spent);
    await reserveAsPreviousRelease(place, oldHold("bystander", muchLater));
    // Both releases must be able to resolve this hold.
    await reserveAsPreviousRelease(place, oldHold("one"));
    if (outer === "cancel a charge") await settleAsPreviousRelease(place, oldHold("one"));
    await scene.watch();
    return { scene, outerProcess, bystander };
  }
  const spent = granted[kind] - credits.granted;
  if (spent > 0) await spend(setup, scene, { holdId: "spent", spent });
  if (kind === "two shards") await steps.gather(setup, scene);
  if (kind !== "without bystander") await reserve("bystander", muchLater)(bystander, scene);
  if (kind === "long journal") {
    // If the outer step resolves a hold, the reservation of this hold adds the last record.
    await fillJournal(setup, scene, hold === undefined ? longJournal : longJournal - 1);
  }
  if (hold !== undefined) await reserve(hold)(isReservedByOuter ? outerProcess : setup, scene);
  if (outer === "cancel a charge") await steps.settle(setup, scene);
  await Promise.all([outerProcess.idle(), setup.idle(), bystander.idle()]);
  await scene.watch();
  return { scene, outerProcess, bystander };
}

async function openAccount(
  { client, table }: Pick<Stage, "client" | "table">,
  signupCredits: number,
  name: string,
): Promise<string> {
  const { id } = await createAccount(
    { name: "Pair", email: "pair@example.com", signupCredits },
    {
      accounts: dynamoAccountStore(client, { accounts: table }),
      clock: { now: () => start, sleep: async () => {} },
      random: randomSourceOf(seededRandom(1, name)),
    },
  );
  return id;
}

async function spend(
  { ledger }: PairProcess,
  { accountId }: PairScene,
  { holdId, spent }: { readonly holdId: string; readonly spent: number },
): Promise<void> {
  const hold = { accountId, holdId, credits: spent, now: start };
  const source = { requestId: holdId };
  await ledger.reserve({ ...hold, slot: true, source, expiresAt });
  await ledger.settle({ ...hold, succeeded: true });
}

/**
 * Adds records to the journal until it contains `records`. It already contains two: the grant and
 * the bystander's hold. Each settled hold of 0 credits adds two.
 */
async function fillJournal(process: PairProcess, scene: PairScene, records: number): Promise<void> {
  for (let n = 0; 2 * n + 3 < records; n += 1) {
    await spend(process, scene, { holdId: `filler ${n}`, spent: 0 });
  }
  if (records % 2 === 0) return;
  const hold = { accountId: scene.accountId, holdId: "open filler", credits: 0, slot: true };
  const source = { requestId: "open filler" };
  await process.ledger.reserve({ ...hold, source, now: start, expiresAt });
}
