import assert from "node:assert/strict";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { createAccount } from "../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../shared/aws/account-store.ts";
import { dynamoLedger } from "../../shared/aws/ledger/ledger.ts";
import { dynamoCreditChanges } from "../../shared/aws/ledger/credit-changes.ts";
import type { CreditChanges } from "../../shared/credits/credit-changes.ts";
import type { Ledger } from "../../shared/credits/ledger.ts";
import { watchedClient } from "../support/watched-client.ts";
import { assertSound, booksOf, takenBack } from "./checks/books.ts";
import { startEngine } from "./engine.ts";
import { seededChance, seededRandom } from "./random.ts";
import type { Stage } from "./world.ts";

const start = new Date("2026-03-01T12:00:00Z");
const expiresAt = new Date("2026-03-01T12:10:00Z");
const afterExpiry = new Date("2026-03-01T12:10:01Z");
const muchLater = new Date("2026-03-01T13:00:00Z");
/** One and another do not fit beside each other; the bystander's are held all the time. */
const credits = { granted: 20, one: 5, another: 12, bystander: 6, bought: 7 } as const;

/** What a step of the ledger came to, as far as its caller heard. */
type Heard = { readonly holdId: string; readonly credits: number } | "nothing to tell" | "unheard";
interface Books {
  readonly ledger: Ledger;
  readonly changes: CreditChanges;
}
type Step = (books: Books, accountId: string) => Promise<Heard>;

const settle =
  (charge: number): Step =>
  async ({ ledger }, accountId) => {
    const hold = { accountId, holdId: "one", now: start };
    const settled = await ledger.settle({ ...hold, credits: charge, succeeded: true });
    return { holdId: "one", credits: settled.credits };
  };
const reserve =
  (holdId: "one" | "another" | "bystander", until = expiresAt): Step =>
  async ({ ledger }, accountId) => {
    const hold = { accountId, holdId, credits: credits[holdId], slot: true };
    const source = { requestId: holdId };
    await ledger.reserve({ ...hold, source, now: start, expiresAt: until });
    return "nothing to tell";
  };

const steps = {
  reserve: reserve("one"),
  "reserve another": reserve("another"),
  settle: settle(3),
  "settle for more": settle(5),
  "settle for nothing": settle(0),
  async release({ ledger }, accountId) {
    await ledger.release({ accountId, holdId: "one", now: start });
    return "nothing to tell";
  },
  async cancel({ ledger }, accountId) {
    await ledger.cancel({ accountId, holdId: "one", now: start });
    return "nothing to tell";
  },
  async sweep({ ledger }, accountId) {
    await ledger.releaseExpired(accountId, afterExpiry);
    return "nothing to tell";
  },
  async purchase({ changes }, accountId) {
    const change = { changeId: "bought", type: "purchase", credits: credits.bought } as const;
    await changes.apply({ ...change, accountId, now: start });
    return "nothing to tell";
  },
} satisfies Record<string, Step>;
type StepName = keyof typeof steps;

/** Which step falls into which other one. Only what was reserved can be settled. */
const pairs: readonly (readonly [outer: StepName, inner: readonly StepName[]])[] = [
  ["reserve", ["reserve", "reserve another", "release", "cancel", "sweep", "purchase"]],
  ...(["settle", "settle for nothing", "release", "cancel", "sweep"] as const).map(
    (outer) =>
      [
        outer,
        [
          "reserve",
          "reserve another",
          "settle",
          "settle for more",
          "release",
          "cancel",
          "sweep",
          "purchase",
        ],
      ] as const,
  ),
];

type Fault = "crash before" | "crash after" | "answer lost" | "throttled" | "conflict";
const faults: readonly Fault[] = [
  "crash before",
  "crash after",
  "answer lost",
  "throttled",
  "conflict",
];

interface PlannedFault {
  /** Number of the request, from 1. */
  readonly at: number;
  readonly kind: Fault;
}

interface PlannedProcess {
  /** Number of the request, from 1, before which `meanwhile` happens. */
  readonly stopsAt?: number;
  readonly meanwhile?: () => Promise<void>;
  /** What becomes of one request. */
  readonly fault?: PlannedFault | undefined;
}

const named = (name: string): Error => Object.assign(new Error(name), { name });
const conflict = (): Error =>
  new TransactionCanceledException({
    message: "conflict",
    $metadata: {},
    CancellationReasons: [{ Code: "TransactionConflict" }],
  });

async function underFault(
  kind: Fault,
  send: () => Promise<unknown>,
  isTransaction: boolean,
): Promise<unknown> {
  if (kind === "crash before") throw named("Crash");
  if (kind === "throttled") throw named("ThrottlingException");
  if (kind === "conflict" && isTransaction) throw conflict();
  const answer = await send();
  if (kind === "crash after") throw named("Crash");
  if (kind === "answer lost") throw named("TimeoutError");
  return answer;
}

/** The ledger of a process of its own, whose requests meet what is planned for them. */
function processOf({ client, table }: Stage) {
  let planned: PlannedProcess = {};
  let sent = 0;
  let isDead = false;
  const watched = watchedClient(client, async (command, send) => {
    if (isDead) throw named("Crash");
    const { stopsAt, meanwhile, fault } = planned;
    sent += 1;
    if (sent === stopsAt) await meanwhile?.();
    if (sent !== fault?.at) return send();
    isDead = fault.kind.startsWith("crash");
    return underFault(fault.kind, send, command instanceof TransactWriteCommand);
  });
  const options = {
    accountsTable: table,
    ledgerTable: table,
    clock: { now: () => start, sleep: async () => {} },
    chance: seededChance(seededRandom(1, "ledger")),
  };
  return {
    ledger: dynamoLedger(watched, options),
    changes: dynamoCreditChanges(watched, options),
    sent: () => sent,
    /** From now on its requests count, and meet what is planned for them. */
    begin(plan: PlannedProcess): void {
      planned = plan;
      sent = 0;
    },
  };
}

/** A caller hears of them; a sweep, unlike a call, does not try again itself. */
const plannedErrors = new Set(["Crash", "TimeoutError", "ThrottlingException"]);

async function heardOf(step: Step, books: Books, accountId: string): Promise<Heard> {
  try {
    return await step(books, accountId);
  } catch (error) {
    if (!(error instanceof Error && plannedErrors.has(error.name))) throw error;
    return "unheard";
  }
}

interface Plan {
  readonly outer: StepName;
  /** True when the outer step is of the process that reserved, and remembers: as in every call. */
  readonly isOwners?: boolean;
  readonly inner: StepName;
  /** Request of the outer step before which the inner one happens, from 1. */
  readonly at: number;
  /** What becomes of that request of the outer step. */
  readonly outerFault?: Fault | undefined;
  readonly innerFault?: PlannedFault | undefined;
}

/** Plays one pair on an account of its own; gives how many requests each of its steps sent. */
async function playPair(stage: Stage, plan: Plan) {
  const { outer, inner, at, outerFault, innerFault, isOwners = false } = plan;
  const accountId = await openAccount(stage);
  const bystander = processOf(stage);
  await reserve("bystander", muchLater)(bystander, accountId);
  const within = processOf(stage);
  within.begin({ fault: innerFault });
  const heard: Heard[] = [];
  const around = processOf(stage);
  if (outer !== "reserve") await steps.reserve(isOwners ? around : processOf(stage), accountId);
  around.begin({
    stopsAt: at,
    async meanwhile() {
      heard.push(await heardOf(steps[inner], within, accountId));
      assertSound(await booksOf(stage, accountId));
    },
    fault: outerFault && { at, kind: outerFault },
  });
  heard.push(await heardOf(steps[outer], around, accountId));
  assertSound(await booksOf(stage, accountId));
  await processOf(stage).ledger.releaseExpired(accountId, afterExpiry);
  // Whoever did not hear of a purchase makes it again.
  const purchases = [outer, inner].includes("purchase") ? 1 : 0;
  if (purchases > 0) await steps.purchase(processOf(stage), accountId);
  await bystander.ledger.release({ accountId, holdId: "bystander", now: afterExpiry });
  const cancels = [inner, outer].flatMap((step, n) => (step === "cancel" ? [heard[n]] : []));
  await checkEnd(stage, accountId, { heard, purchases, cancels });
  return { outer: around.sent(), inner: within.sent() };
}

async function openAccount({ client, table }: Stage): Promise<string> {
  accountsMade += 1;
  const chance = seededChance(seededRandom(accountsMade, "accounts"));
  const { id } = await createAccount(
    { name: "Pair", email: "pair@example.com", signupCredits: credits.granted },
    {
      accounts: dynamoAccountStore(client, { accounts: table }),
      clock: { now: () => start, sleep: async () => {} },
      chance,
    },
  );
  return id;
}
let accountsMade = 0;

interface End {
  readonly heard: readonly Heard[];
  readonly purchases: number;
  /** What those heard who cancelled the hold, if any did. */
  readonly cancels: readonly (Heard | undefined)[];
}

/**
 * Each hold was made once and resolved once, and everybody who was told of it was told the same. Only a
 * cancellation changes what was decided before: one that came through leaves no charge.
 */
async function checkEnd(
  stage: Stage,
  accountId: string,
  { heard, purchases, cancels }: End,
): Promise<void> {
  const rows = await booksOf(stage, accountId);
  assertSound(rows);
  const bought = rows.entries.filter(({ type }) => type === "purchase");
  assert.equal(bought.length, purchases, "bought once");
  assert.equal(rows.account["held"], 0, "nothing is held in the end");
  for (const { hold_id: holdId, state, charged, credits: held } of rows.holds) {
    const name = String(holdId);
    assert.notEqual(state, "open", name);
    const own = rows.entries.filter((entry) => entry["hold_id"] === holdId);
    const sums = ["reserve", "charge", "refund"].map((type) =>
      own
        .filter((entry) => entry["type"] === type)
        .reduce((sum, entry) => sum + Number(entry["credits"]), 0),
    );
    const back = takenBack(own);
    const wanted = [held, Number(charged) + back, Number(held) - Number(charged)];
    assert.deepEqual(sums, wanted, name);
    if (holdId === "one" && cancels.includes("nothing to tell")) assert.equal(charged, 0, name);
    for (const one of cancels.length > 0 ? [] : heard) {
      if (typeof one === "object" && one.holdId === holdId) {
        assert.equal(one.credits, charged, `${name}: what was told`);
      }
    }
  }
}

/** Plays each pair at each of its requests with each fault on either side; false when one failed. */
export async function playLedgerPairs(): Promise<boolean> {
  const startedAt = performance.now();
  const engine = await startEngine();
  const stage = await engine.stage();
  let [played, violations] = [0, 0];
  const play = async (plan: Plan): Promise<{ readonly outer: number; readonly inner: number }> => {
    played += 1;
    try {
      return await playPair(stage, plan);
    } catch (error) {
      violations += 1;
      console.log(`VIOLATION in ${JSON.stringify(plan)}:`, error);
      return { outer: 0, inner: 0 };
    }
  };
  for (const pair of pairsOf()) {
    for (let at = 1; ; at += 1) {
      const sent = await play({ ...pair, at });
      // The outer step was over before: nothing fell into it.
      if (sent.outer < at) break;
      for (const plan of faultyPlans({ ...pair, at }, sent.inner)) await play(plan);
    }
  }
  await stage.end();
  await engine.stop();
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`${played} pairs of ledger steps, ${violations} violations, ${seconds} s`);
  return violations === 0;
}

const pairsOf = (): readonly Omit<Plan, "at">[] =>
  pairs.flatMap(([outer, inners]) =>
    inners.flatMap((inner) =>
      outer.startsWith("settle")
        ? [
            { outer, inner },
            { outer, inner, isOwners: true },
          ]
        : [{ outer, inner }],
    ),
  );

/** A fault at either step; and of the outer one also the answer lost beside each of the inner one's. */
function faultyPlans(plan: Plan, innerRequests: number): readonly Plan[] {
  const ofOuter = faults.map((outerFault): Plan => ({ ...plan, outerFault }));
  const innerFaults = Array.from({ length: innerRequests }, (_, n) =>
    faults.map((kind): PlannedFault => ({ at: n + 1, kind })),
  ).flat();
  const ofInner = innerFaults.flatMap((innerFault): readonly Plan[] => [
    { ...plan, innerFault },
    { ...plan, innerFault, outerFault: "answer lost" },
  ]);
  return [...ofOuter, ...ofInner];
}
