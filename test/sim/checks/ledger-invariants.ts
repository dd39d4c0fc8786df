import assert from "node:assert/strict";
import { concurrencyFor } from "../../../shared/accounts/account.ts";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import { timeOf } from "../../../shared/base/ids.ts";
import { type LedgerState, rowsIn, type ShardState, sumOf, takenBack } from "./ledger-state.ts";
import { assertBudgets } from "./ledger-budgets.ts";
import { foldOf, noSums, type Sums, usageOf } from "./journal-moves.ts";

/**
 * API Gateway's timeout in milliseconds. A call may respond this long after its start, so its hold
 * must not expire earlier.
 */
const longestAnswerMs = 29_000;
/** The largest number of slots of a shard. */
const slotsOfShard = 10;

/**
 * Checks the invariants that an account has after each write:
 * - No value is negative.
 * - The held credits and the slots in use match the open holds.
 * - The calls in flight are within the limit of the account's concurrency tier.
 * - Credits are neither lost nor created.
 * - Data that is stored twice is equal.
 * @throws Error if a check fails
 */
export function assertLedgerInvariants(ledger: LedgerState): void {
  const { account, shards, entries, balance, held, spent } = ledger;
  assertHoldRows(ledger);
  assertBudgets(ledger);
  if (shards.length === 0) assertUnsharded(ledger);
  else assertShards(ledger);
  const given = entries
    .filter(({ type }) => ["grant", "purchase", "adjust"].includes(type))
    .reduce((sum, { moves }) => sum + moves, 0);
  assert.equal(balance + held + spent, given, "credits are neither lost nor created");
  assert.equal(
    sumOf(entries, "charge") - takenBack(entries),
    spent,
    "the spent credits were charged",
  );
  const bought = entries.filter(
    ({ type }, n) => type === "purchase" || (type === "grant" && n === 0),
  );
  assert.equal(
    account["lifetime"],
    sumOf(bought, "grant", "purchase"),
    "the lifetime credits, which set the concurrency tier",
  );
  const reserves = entries.filter(({ type }) => type === "reserve").map(({ holdId }) => holdId);
  assert.equal(new Set(reserves).size, reserves.length, "each hold is reserved once");
}

/**
 * Checks the duration of holds that have separate rows. `assertHoldDuration` checks the holds in
 * shards.
 */
function assertHoldRows({ holdRows }: LedgerState): void {
  for (const { state, hold_id: id, created_at: from, due_at: to } of holdRows) {
    if (state !== "open") continue;
    const heldMs = Date.parse(String(to)) - Date.parse(String(from));
    assert(heldMs >= longestAnswerMs, `${String(id)} is held for ${heldMs} ms only`);
  }
}

const creditsOf = (rows: readonly Row[]): number =>
  rows.reduce((sum, { credits }) => sum + Number(credits), 0);

const openRows = ({ holdRows }: LedgerState): readonly Row[] =>
  holdRows.filter(({ state }) => state === "open");

const openSlots = (ledger: LedgerState): number =>
  openRows(ledger).filter(({ slot }) => slot === true).length;

/** Returns the sums of the unsharded entries. */
function oldSums({ oldEntries, entries }: LedgerState): Sums {
  const old = entries.slice(0, oldEntries.length);
  oldEntries.forEach(({ sequence }, n) =>
    assert.equal(sequence, n + 1, "entries are numbered without gaps"),
  );
  const balance = Number(oldEntries.at(-1)?.["balance_after"] ?? 0);
  const [back, charged] = [takenBack(old), sumOf(old, "charge")];
  return {
    balance,
    held: sumOf(old, "reserve") - charged - (sumOf(old, "refund") - back),
    spent: charged - back,
    sequence: oldEntries.length,
    added: balance,
  };
}

/** Checks an account that has no shards, which is the format of the previous release. */
function assertUnsharded(ledger: LedgerState): void {
  const { account, balance, held, spent, inFlight } = ledger;
  const { added: _, ...sums } = oldSums(ledger);
  const { sequence } = account;
  assert.deepEqual(
    { balance, held, spent, sequence },
    sums,
    "the account's row matches its entries",
  );
  assert(
    balance >= 0 && held >= 0 && spent >= 0,
    `a sum is negative: balance ${balance}, held ${held}, spent ${spent}`,
  );
  assert.equal(held, creditsOf(openRows(ledger)), "the held credits match the open holds");
  assert.equal(inFlight, openSlots(ledger), "slots in use");
  assert(
    inFlight <= concurrencyFor(Number(account["lifetime"])),
    `${inFlight} calls in flight exceed the limit of the tier`,
  );
}

function assertShards(ledger: LedgerState): void {
  const { account, shards, balance, held, spent } = ledger;
  const concurrency = concurrencyFor(Number(account["lifetime"]));
  assert.equal(
    shards.length,
    Math.ceil(concurrency / slotsOfShard),
    "number of shards of the tier",
  );
  const old = oldSums(ledger);
  for (const shard of shards) {
    const { number, row } = shard;
    const name = (what: string): string => `shard ${number}: ${what}`;
    assertShard(ledger, shard, number === 0 ? old : noSums);
    assert.equal(row["shards"], shards.length, name("number of shards in its row"));
    const slots = Math.min(slotsOfShard, concurrency - slotsOfShard * number);
    assert.equal(row["slots"], slots, name("its share of the slots"));
  }
  const oldSlots = shards.reduce((sum, { row }) => sum + Number(row["old_in_flight"] ?? 0), 0);
  assert.equal(oldSlots, openSlots(ledger), "slots of calls from before the account had shards");
  assert.equal(
    balance + held + spent,
    account["received"],
    "the credits that the account received",
  );
  const transfers = new Map<unknown, number>();
  for (const { t, a, c } of shards.flatMap(({ records }) => records)) {
    if (t === "x") transfers.set(a, (transfers.get(a) ?? 0) + Number(c));
  }
  for (const [at, sum] of transfers) assert.equal(sum, 0, `sum of the transfers at ${String(at)}`);
}

function assertShard(ledger: LedgerState, shard: ShardState, before: Sums): void {
  const { number, row, records, usage, pages } = shard;
  const name = (what: string): string => `shard ${number}: ${what}`;
  for (const count of ["balance", "held", "spent", "in_flight", "old_in_flight"]) {
    assert(Number(row[count] ?? 0) >= 0, name(`${count} is negative: ${Number(row[count])}`));
  }
  assert(Number(row["in_flight"]) <= Number(row["slots"]), name("more calls than slots"));
  const holds = Object.values((row["holds"] ?? {}) as Record<string, Row>);
  const heldByRows = openRows(ledger).filter((hold) => Number(hold["shard"] ?? 0) === number);
  const heldByCalls = holds.reduce((sum, { c }) => sum + Number(c), 0);
  assert.equal(
    row["held"],
    heldByCalls + creditsOf(heldByRows),
    name("the held credits match its holds"),
  );
  const inFlight = holds.length + Number(row["old_in_flight"] ?? 0);
  assert.equal(row["in_flight"], inFlight, name("slots in use"));
  if (holds.length > 0) {
    assert.match(String(row["due_kind"]), /^hold#/, name("its due mark"));
    assert(row["due_at"] !== undefined, name("its due mark has no time"));
  }
  const { balance, held, spent, sequence, added } = row;
  const sums = { balance, held, spent, sequence, added };
  assert.deepEqual(sums, foldOf(before, records), name("its row matches its records"));
  const stamps = records.map(({ a }) => Number(a));
  stamps.forEach((at, n) => assert(at > (stamps[n - 1] ?? 0), name("stamps do not increase")));
  assert(
    (stamps.at(-1) ?? 0) <= Number(row["fence"]),
    name("its fence is older than its newest stamp"),
  );
  assertPages(shard, before);
  const paged = pages.flatMap((page) => rowsIn(page["records"]));
  assert.deepEqual(daysOf(usage), usageOf(paged), name("its usage rows match its pages"));
}

/** Checks that each page starts with the sums at the end of the previous page. */
function assertPages({ number, pages }: ShardState, before: Sums): void {
  let sums = before;
  for (const page of pages) {
    const name = `shard ${number}: ${String(page["sk"])}`;
    assert.equal(page["balance_before"], sums.balance, `${name}: balance before`);
    assert.equal(page["sequence_before"], sums.sequence, `${name}: sequence before`);
    const records = rowsIn(page["records"]);
    assert.equal(Number(String(page["sk"]).split("#")[1]), records[0]?.["a"], `${name}: its key`);
    sums = foldOf(sums, records);
  }
}

const daysOf = (usage: readonly Row[]): Readonly<Record<string, readonly number[]>> =>
  Object.fromEntries(
    usage.map((row) => [
      String(row["sk"]).split("#")[1],
      ["requests", "successful", "failed", "credits"].map((count) => Number(row[count])),
    ]),
  );

/** Removes the source from reservation records: a shard stores it in the open hold instead. */
const plain = (records: readonly Row[]): readonly Row[] =>
  records.map(({ f: source, ...record }) =>
    record["t"] === "r" ? record : { ...record, f: source },
  );

/**
 * Compares an account before and after a write. Entries, records and pages must not change
 * (invariant M7), new stamps must be greater, and the lifetime credits must not decrease (invariant
 * C6).
 * @throws Error if a check fails
 */
export function assertAppendOnly(before: LedgerState, after: LedgerState): void {
  const old = after.oldEntries.slice(0, before.oldEntries.length);
  assert.deepEqual(old, before.oldEntries, "entries do not change");
  assert(
    Number(after.account["lifetime"]) >= Number(before.account["lifetime"]),
    "the lifetime credits decreased",
  );
  assert(after.shards.length >= before.shards.length, "the number of shards decreased");
  for (const was of before.shards) {
    const is = after.shards[was.number];
    if (is === undefined || is === was) continue;
    const name = (what: string): string => `shard ${was.number}: ${what}`;
    const kept = is.records.slice(0, was.records.length);
    assert.deepEqual(plain(kept), plain(was.records), name("records do not change"));
    assert.deepEqual(is.pages.slice(0, was.pages.length), was.pages, name("pages do not change"));
    const fence = Number(was.row["fence"]);
    assert(Number(is.row["fence"]) >= fence, name("its fence decreased"));
    for (const { a } of is.records.slice(was.records.length)) {
      assert(Number(a) > fence, name("a new record has an old stamp"));
    }
    assertHoldDuration(was, is);
  }
}

/**
 * Checks that a new hold does not expire while its call may still respond. The ID of the hold
 * contains the start of the call.
 */
function assertHoldDuration(was: ShardState, { row }: ShardState): void {
  const known = (was.row["holds"] ?? {}) as Record<string, Row>;
  for (const [id, { u }] of Object.entries((row["holds"] ?? {}) as Record<string, Row>)) {
    const begunAt = timeOf("request", id);
    if (known[id] !== undefined || begunAt === undefined) continue;
    const heldMs = Number(u) * 1_000 - begunAt.getTime();
    assert(heldMs >= longestAnswerMs, `${id} is held for ${heldMs} ms only`);
  }
}
