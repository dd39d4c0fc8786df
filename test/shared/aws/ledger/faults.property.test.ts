import {
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { concurrencyFor } from "../../../../shared/accounts/account.ts";
import type { DailyBudgetStore } from "../../../../shared/accounts/daily-budget-store.ts";
import { dynamoDailyBudgetStore } from "../../../../shared/aws/accounts/daily-budget-store.ts";
import { dynamoUsageStore } from "../../../../shared/aws/accounts/usage-store.ts";
import { readWholeAccount } from "../../../../shared/aws/ledger/read-shards.ts";
import { assert } from "../../../../shared/base/assert.ts";
import { systemClock, systemRandom } from "../../../../shared/base/system.ts";
import type { Ledger, Settled } from "../../../../shared/credits/ledger.ts";
import { entriesOf, expectLedgerToBalance } from "../../../contracts/ledger.contract.ts";
import { type DynamoLedgerWorld, startLedgerWorld } from "../../../support/ledger-world.ts";
import { fixedClock } from "../../../support/clock.ts";
import { watchedClient } from "../../../support/watched-client.ts";

let world: DynamoLedgerWorld;
beforeAll(async () => {
  world = await startLedgerWorld();
});

const start = new Date("2026-03-01T12:00:00Z");
const expiresAt = new Date("2026-03-01T12:10:00Z");
const afterExpiry = new Date("2026-03-01T12:10:01Z");

/** The fault of a request. A process that has crashed sends no further requests. */
type Fault =
  | "none"
  | "crash_before"
  | "crash_after"
  | "answer_lost"
  /**
   * The request takes effect, but its response is lost, and it takes effect again after all other
   * requests.
   */
  | "executed_again"
  | "conflict"
  | "throttle";
const faults: readonly Fault[] = [
  "crash_before",
  "crash_after",
  "answer_lost",
  "executed_again",
  "conflict",
  "throttle",
];

const fault = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Fault>("none") },
  { weight: 2, arbitrary: fc.constantFrom(...faults) },
);
const call = fc.record({
  credits: fc.integer({ min: 0, max: 900 }),
  answered: fc.double({ min: 0, max: 1, noNaN: true }),
  /**
   * Faults of the requests of the process that makes the call, in order; later requests have none.
   */
  faults: fc.array(fault, { maxLength: 8 }),
  /**
   * True for an item call, which one process makes; false for a step, which any process may repeat.
   */
  slot: fc.boolean(),
  /**
   * What happens if the process that makes the call does not finish it. `ended`: another process
   * completes the call. `left`: the hold of the call expires.
   */
  afterwards: fc.constantFrom("ended", "left"),
  /** True if the process that makes the call is suspended until the hold has expired. */
  sleeps: fc.boolean(),
  /** True for a step that is repeated late, after its hold has expired. */
  zombie: fc.boolean(),
});
type ModelCall = typeof call extends fc.Arbitrary<infer Value> ? Value : never;

const conflict = (writes: number): Error =>
  new TransactionCanceledException({
    message: "conflict",
    $metadata: {},
    CancellationReasons: Array.from({ length: writes }, (_, n) => ({
      Code: n === 0 ? "TransactionConflict" : "None",
    })),
  });

const named = (name: string): Error => Object.assign(new Error(name), { name });

/** Returns the error with which DynamoDB rejects a request; undefined for other faults. */
function refusalOf(met: Fault, command: unknown): Error | undefined {
  if (met === "throttle") return named("ThrottlingException");
  if (met !== "conflict") return undefined;
  if (command instanceof TransactWriteCommand) {
    return conflict(command.input.TransactItems?.length ?? 0);
  }
  return command instanceof UpdateCommand
    ? new TransactionConflictException({ message: "conflict", $metadata: {} })
    : undefined;
}

/** Requests to send again later, when other requests may have changed the rows. */
type Late = (() => Promise<unknown>)[];

/** Returns a process whose requests get the planned faults, in order. */
function faultyProcess(plan: readonly Fault[], look: () => Promise<void>, late: Late = []): Ledger {
  const pending = [...plan];
  let crashed = false;
  const client = watchedClient(world.client, async (command, send) => {
    if (crashed) throw named("Crash");
    const next = pending.shift() ?? "none";
    const refusal = refusalOf(next, command);
    if (refusal !== undefined) throw refusal;
    crashed = next.startsWith("crash");
    if (next === "crash_before") throw named("Crash");
    const answer = await send();
    if (crashed) throw named("Crash");
    if (!(command instanceof TransactWriteCommand || command instanceof UpdateCommand)) {
      return answer;
    }
    await look();
    if (next === "executed_again") late.push(send);
    if (next === "answer_lost" || next === "executed_again") throw named("TimeoutError");
    return answer;
  });
  return world.ledgerThrough(client);
}

/** Checks the rules that the account's rows must keep between any two requests. */
async function expectSoundLedger(accountId: string, granted: number): Promise<void> {
  const { client, accountsTable } = world;
  const reader = { client, accountsTable, clock: fixedClock("2026-03-01"), random: systemRandom };
  const rows = await readWholeAccount(reader, accountId);
  assert(rows !== undefined, "the account exists");
  const { shards } = rows;
  for (const { balance, held, spent, inFlight, slots, holds } of shards) {
    expect(Math.min(balance, held, spent)).toBeGreaterThanOrEqual(0);
    expect(inFlight).toBe(holds.size);
    expect(inFlight).toBeLessThanOrEqual(slots);
    const ofCalls = [...holds.values()].reduce((sum, { credits }) => sum + credits, 0);
    expect(held).toBeGreaterThanOrEqual(ofCalls);
  }
  const slots = shards.reduce((sum, shard) => sum + shard.slots, 0);
  expect(slots).toBe(concurrencyFor(granted));
  const total = shards.reduce((sum, { balance, held, spent }) => sum + balance + held + spent, 0);
  expect(total).toBe(granted);
}

interface Answered {
  readonly holdId: string;
  readonly settled: Settled;
}

const budgetStore = (): DailyBudgetStore => {
  const { client, accountsTable, ledgerTable } = world;
  const options = { accountsTable, ledgerTable, clock: systemClock, random: systemRandom };
  return dynamoDailyBudgetStore(client, { ...options, usage: dynamoUsageStore(client, options) });
};

/**
 * Makes one call: reserves its credits and settles them. Returns `refused` if the ledger refuses
 * the reservation, `asleep` if the process is suspended before it settles, and undefined if the
 * process crashed or got no response.
 */
async function makeCall(
  ledger: Ledger,
  wanted: { accountId: string; holdId: string; model: ModelCall; settlesAt?: Date },
): Promise<Answered | "refused" | "asleep" | undefined> {
  const { accountId, holdId, model, settlesAt = start } = wanted;
  const { credits } = model;
  try {
    const reserved = await ledger.reserve({
      accountId,
      holdId,
      credits,
      slot: model.slot,
      source: model.slot ? { requestId: holdId } : { runId: holdId, step: "check" },
      now: start,
      expiresAt,
    });
    if (reserved.outcome !== "reserved") return "refused";
    if (model.sleeps && settlesAt === start) return "asleep";
    return await settleCall(ledger, { ...wanted, settlesAt });
  } catch (error) {
    if (error instanceof Error && ["Crash", "TimeoutError"].includes(error.name)) return undefined;
    throw error;
  }
}

/** Settles the hold of a call. Returns undefined if the process crashed or got no response. */
async function settleCall(
  ledger: Ledger,
  wanted: { accountId: string; holdId: string; model: ModelCall; settlesAt: Date },
): Promise<Answered | undefined> {
  const { accountId, holdId, model, settlesAt: now } = wanted;
  const credits = Math.floor(model.credits * model.answered);
  try {
    const settled = await ledger.settle({ accountId, holdId, credits, succeeded: true, now });
    return { holdId, settled };
  } catch (error) {
    if (error instanceof Error && ["Crash", "TimeoutError"].includes(error.name)) return undefined;
    throw error;
  }
}

async function playOut(
  calls: readonly ModelCall[],
  granted: number,
  budget: number | null = null,
): Promise<void> {
  const accountId = await world.open(granted);
  const budgets = budgetStore();
  await budgets.set(accountId, { budget, now: start });
  const look = async (): Promise<void> => {
    await expectSoundLedger(accountId, granted);
    if (budget === null) return;
    expect(await budgets.used(accountId, start)).toBeLessThanOrEqual(budget);
  };
  const answered: Answered[] = [];
  const lateRequests: Late = [];
  const asleep = new Set<number>();
  const processes = calls.map((model) => faultyProcess(model.faults, look, lateRequests));
  const play = async (model: ModelCall, n: number): Promise<void> => {
    const wanted = { accountId, holdId: `hold-${n}`, model };
    const ledger = processes[n] ?? faultyProcess([], look);
    const first = await makeCall(ledger, wanted);
    if (typeof first === "object") answered.push(first);
    if (first === "asleep") asleep.add(n);
    if (first !== undefined || model.sleeps || model.afterwards === "left") return;
    // The process crashed or got no response. A call with a slot is then canceled; a step without
    // a slot is repeated by another process.
    if (model.slot) await world.ledger().cancel({ accountId, holdId: wanted.holdId, now: start });
    const last = model.slot ? undefined : await makeCall(faultyProcess([], look), wanted);
    if (typeof last === "object") answered.push(last);
  };
  await Promise.all(calls.map(play));

  await world.ledger().releaseExpired(accountId, afterExpiry);
  const zombies = calls.map(async (model, n) => {
    const wanted = { accountId, holdId: `hold-${n}`, model, settlesAt: afterExpiry };
    const own = processes[n] ?? faultyProcess([], look);
    const isRepeated = model.zombie && !model.slot;
    const late = asleep.has(n)
      ? await settleCall(own, wanted)
      : isRepeated && (await makeCall(faultyProcess(model.faults, look), wanted));
    if (typeof late === "object") answered.push(late);
  });
  await Promise.all(zombies);
  for (const send of lateRequests) await send().catch(() => undefined);
  await world.ledger().releaseExpired(accountId, afterExpiry);

  await look();
  await expectLedgerToBalance(world, accountId);
  const account = await world.account(accountId);
  expect(account).toMatchObject({ held: 0, inFlight: 0 });
  expect(await budgets.used(accountId, start)).toBe(budget === null ? 0 : account?.spent);
  const charges = (await entriesOf(world, accountId)).filter(({ type }) => type === "charge");
  const chargedFor = (holdId: string): number[] =>
    charges.flatMap(({ source, credits }) => {
      const id = source !== null && ("requestId" in source ? source.requestId : source.runId);
      return id === holdId ? [credits] : [];
    });
  for (const n of calls.keys()) expect(chargedFor(`hold-${n}`).length).toBeLessThanOrEqual(1);
  for (const { holdId, settled } of answered) {
    expect(chargedFor(holdId)).toEqual(
      settled.credits === 0 && chargedFor(holdId).length === 0 ? [] : [settled.credits],
    );
  }
}

it("the ledger keeps every account balance correct at all times, whichever request fails or is repeated", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 1, maxLength: 7 }),
      fc.constantFrom(2_000, 26_000),
      fc.constantFrom(null, 300, 1_500),
      playOut,
    ),
    { numRuns: Number(process.env["LEDGER_FAULT_RUNS"] ?? 3) },
  );
});

it.each(faults.flatMap((one) => [0, 1, 2, 3].map((position) => [one, position] as const)))(
  "the ledger charges at most once if the fault %s occurs in ledger request %i and another process resolves the hold",
  async (one, position) => {
    const plan: Fault[] = [...Array.from({ length: position }, () => "none" as const), one];
    const model = { credits: 100, answered: 0.7, faults: plan, zombie: true, sleeps: false };
    const calls = [true, false].flatMap((slot) => [
      { ...model, slot, afterwards: "ended" as const },
      { ...model, slot, afterwards: "left" as const },
    ]);
    await playOut(calls, 2_000);
    await playOut(calls, 2_000, 250);
  },
);
