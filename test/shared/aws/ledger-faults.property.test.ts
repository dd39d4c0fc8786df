import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { concurrencyFor } from "../../../shared/accounts/account.ts";
import { assert } from "../../../shared/base/assert.ts";
import { accountKeys } from "../../../shared/aws/table.ts";
import type { Ledger, Settled } from "../../../shared/credits/ledger.ts";
import { entriesOf, expectBooksToBalance } from "../../contracts/ledger.contract.ts";
import { type DynamoLedgerWorld, startLedgerWorld } from "../../support/ledger-world.ts";
import { watchedClient } from "../../support/watched-client.ts";

let world: DynamoLedgerWorld;
beforeAll(async () => {
  world = await startLedgerWorld();
});
afterAll(() => world.stop());

const start = new Date("2026-03-01T12:00:00Z");
const expiresAt = new Date("2026-03-01T12:10:00Z");
const afterExpiry = new Date("2026-03-01T12:10:01Z");

/** What may happen to a request; a process that has crashed sends nothing any more. */
type Fault = "none" | "crash_before" | "crash_after" | "answer_lost" | "conflict" | "throttle";
const faults: readonly Fault[] = [
  "crash_before",
  "crash_after",
  "answer_lost",
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
  /** Of the process that makes the call, request by request; none after these. */
  faults: fc.array(fault, { maxLength: 8 }),
  /** What happens when that process does not finish: another repeats the call, or nobody does. */
  afterwards: fc.constantFrom("repeated", "left"),
  /** True for a process that stands still with its hold until it has expired. */
  sleeps: fc.boolean(),
  /** True for a call that is made again, late, after the hold has expired. */
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

/** A process whose requests meet the faults planned for it, in order. */
function faultyProcess(plan: readonly Fault[], look: () => Promise<void>): Ledger {
  const pending = [...plan];
  let crashed = false;
  const client = watchedClient(world.client, async (command, send) => {
    if (crashed) throw named("Crash");
    const next = pending.shift() ?? "none";
    const isTransaction = command instanceof TransactWriteCommand;
    if (next === "throttle") throw named("ThrottlingException");
    if (next === "conflict" && isTransaction) {
      throw conflict(command.input.TransactItems?.length ?? 0);
    }
    crashed = next.startsWith("crash");
    if (next === "crash_before") throw named("Crash");
    const answer = await send();
    if (crashed) throw named("Crash");
    if (!isTransaction) return answer;
    await look();
    if (next === "answer_lost") throw named("TimeoutError");
    return answer;
  });
  return world.ledgerThrough(client);
}

/** What must hold at every instant, read in one consistent look at the account's rows. */
async function expectSoundBooks(accountId: string, granted: number): Promise<void> {
  const { Items: rows = [] } = await world.client.send(
    new QueryCommand({
      TableName: world.accountsTable,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": accountKeys.account(accountId).pk },
    }),
  );
  const account = rows.find(({ sk }) => sk === "account");
  const open = rows.filter(({ state }) => state === "open");
  assert(account !== undefined, "the account exists");
  const slots = open.filter(({ slot }) => slot === true).length;
  expect(account["balance"]).toBeGreaterThanOrEqual(0);
  expect(account["in_flight"]).toBe(slots);
  expect(slots).toBeLessThanOrEqual(concurrencyFor(granted));
  expect(open.reduce((sum, { credits }) => sum + Number(credits), 0)).toBe(account["held"]);
  expect(Number(account["balance"]) + Number(account["held"]) + Number(account["spent"])).toBe(
    granted,
  );
}

interface Heard {
  readonly holdId: string;
  readonly settled: Settled;
}

/** Makes one call to its end, or to the end of its process; undefined when nothing was heard. */
async function makeCall(
  ledger: Ledger,
  wanted: { accountId: string; holdId: string; model: ModelCall; settlesAt?: Date },
): Promise<Heard | "refused" | undefined> {
  const { accountId, holdId, model, settlesAt = start } = wanted;
  const { credits, answered } = model;
  try {
    const reserved = await ledger.reserve({
      accountId,
      holdId,
      credits,
      slot: true,
      source: { requestId: holdId },
      now: start,
      expiresAt,
    });
    if (reserved.outcome !== "reserved") return "refused";
    if (model.sleeps && settlesAt === start) return undefined;
    const charge = Math.floor(credits * answered);
    const settlement = { accountId, holdId, credits: charge, succeeded: true, now: settlesAt };
    return { holdId, settled: await ledger.settle(settlement) };
  } catch (error) {
    if (error instanceof Error && ["Crash", "TimeoutError"].includes(error.name)) return undefined;
    throw error;
  }
}

async function playOut(calls: readonly ModelCall[], granted: number): Promise<void> {
  const accountId = await world.open(granted);
  const look = (): Promise<void> => expectSoundBooks(accountId, granted);
  const heard: Heard[] = [];
  const processes = calls.map((model) => faultyProcess(model.faults, look));
  const play = async (model: ModelCall, n: number): Promise<void> => {
    const wanted = { accountId, holdId: `hold-${n}`, model };
    const ledger = processes[n] ?? faultyProcess([], look);
    const first = await makeCall(ledger, wanted);
    const last =
      first === undefined && !model.sleeps && model.afterwards === "repeated"
        ? await makeCall(faultyProcess([], look), wanted)
        : first;
    if (typeof last === "object") heard.push(last);
  };
  await Promise.all(calls.map(play));

  await world.ledger().releaseExpired(accountId, afterExpiry);
  const zombies = calls.map(async (model, n) => {
    const wanted = { accountId, holdId: `hold-${n}`, model, settlesAt: afterExpiry };
    if (!model.zombie && !model.sleeps) return;
    const own = model.sleeps ? processes[n] : undefined;
    const late = await makeCall(own ?? faultyProcess(model.faults, look), wanted);
    if (typeof late === "object") heard.push(late);
  });
  await Promise.all(zombies);
  await world.ledger().releaseExpired(accountId, afterExpiry);

  await look();
  await expectBooksToBalance(world, accountId);
  expect(await world.account(accountId)).toMatchObject({ held: 0, inFlight: 0 });
  const charges = (await entriesOf(world, accountId)).filter(({ type }) => type === "charge");
  const chargedFor = (holdId: string): number[] =>
    charges.flatMap(({ source, credits }) =>
      source !== null && "requestId" in source && source.requestId === holdId ? [credits] : [],
    );
  for (const n of calls.keys()) expect(chargedFor(`hold-${n}`).length).toBeLessThanOrEqual(1);
  for (const { holdId, settled } of heard) {
    expect(chargedFor(holdId)).toEqual(
      settled.credits === 0 && chargedFor(holdId).length === 0 ? [] : [settled.credits],
    );
  }
}

it("keeps the books sound at every instant, whatever request fails and whoever repeats it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 1, maxLength: 7 }),
      fc.constantFrom(2_000, 26_000),
      playOut,
    ),
    { numRuns: Number(process.env["LEDGER_FAULT_RUNS"] ?? 60) },
  );
});

it.each(faults.flatMap((one) => [0, 1, 2, 3].map((position) => [one, position] as const)))(
  "charges once when a call meets %s at request %i and is made again",
  async (one, position) => {
    const plan: Fault[] = [...Array.from({ length: position }, () => "none" as const), one];
    const model = { credits: 100, answered: 0.7, faults: plan, zombie: true, sleeps: false };
    await playOut([{ ...model, afterwards: "repeated" }], 2_000);
    await playOut([{ ...model, afterwards: "left" }], 2_000);
  },
);
