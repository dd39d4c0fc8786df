import { type Difference, fieldDifferences, missing, present } from "./difference.ts";
import { numberedId } from "../../../shared/base/ids.ts";
import type { CreditTransaction } from "../../../shared/credits/credit-history.ts";
import type { JournalState } from "../../../shared/credits/journal.ts";
import type { CreditSource } from "../../../shared/credits/ledger.ts";

/** An entry with the hold that it makes or resolves; grants, purchases and adjustments have none. */
export interface LedgerEntry extends CreditTransaction {
  /** Null for an entry of a shard's journal, which does not store it. */
  readonly id: string | null;
  readonly holdId: string | null;
  /** True for the grant that opens an account. */
  readonly isOpening: boolean;
}

/** The shard that a hold belongs to, and whether the hold has a separate row. */
interface HoldPlace {
  readonly shard: number;
  /** True for a run's step, a call from before there were shards, and a charge that was taken back. */
  readonly hasRow: boolean;
}

export interface OpenHold extends HoldPlace {
  readonly credits: number;
  /** True for an item call's, which takes a slot; a run's step takes none. */
  readonly takesSlot: boolean;
}

export interface ResolvedHold extends HoldPlace {
  readonly charged: number;
}

export interface DayUsage {
  /** Holds that were resolved on this day. */
  readonly requests: number;
  /** What they were charged. */
  readonly credits: number;
}

/** The sums of a ledger: of an account, or of one of its shards. */
export interface LedgerSums {
  /** The number of the newest entry; 0 without any. */
  readonly sequence: number;
  readonly balance: number;
  readonly spent: number;
  /** The first grant and all purchases. */
  readonly lifetime: number;
  /** The sum of all grants, purchases and adjustments. */
  readonly received: number;
  /** By hold id. */
  readonly open: ReadonlyMap<string, OpenHold>;
  /** By hold ID, the holds that were resolved since `FoldSince.resolved`. */
  readonly resolved: ReadonlyMap<string, ResolvedHold>;
  /** By UTC date, the usage of entries from before there were shards. */
  readonly usage: ReadonlyMap<string, DayUsage>;
  /** Charges by run ID, of entries since `FoldSince.charges`. */
  readonly charged: ReadonlyMap<string, number>;
  /** False once entries are missing: then only sequence and balance mean anything. */
  readonly isWhole: boolean;
}

export interface LedgerFold {
  /** Adds the next entry by its number; returns how it breaks the rules. */
  take(entry: LedgerEntry): Difference[];
  /** Changes the balance without an entry. */
  move(credits: number): void;
  /** Compares the state before the next entries with the state after the last one, and continues from it. */
  goOnFrom(before: JournalState, place: string): Difference[];
  /** The state after the last entry. */
  state(): JournalState;
  /** The sums of the entries up to a number, and how these entries as a whole break the rules. */
  end(sequence: number): { readonly sums: LedgerSums; readonly differences: Difference[] };
}

interface Hold extends OpenHold {
  readonly source: CreditSource | null;
  readonly resolved: number;
  readonly charged: number;
}

/** The times from which a fold keeps charges and resolved holds. */
export interface FoldSince {
  readonly charges: Date;
  readonly resolved: Date;
}

interface State {
  readonly accountId: string;
  readonly place: string;
  readonly shard: number;
  readonly since: FoldSince;
  sequence: number;
  balance: number;
  spent: number;
  lifetime: number;
  received: number;
  isWhole: boolean;
  readonly open: Map<string, Hold>;
  readonly resolved: Map<string, ResolvedHold>;
  readonly usage: Map<string, DayUsage>;
  readonly charged: Map<string, number>;
}

/** The ledger that a fold adds up: that of an account, or of one of its shards. */
export interface FoldPlace {
  readonly accountId: string;
  readonly shard: number;
  /** The name of the ledger in differences. */
  readonly place: string;
}

/**
 * Adds up a ledger, entry by entry, and checks its rules: numbers have no gap; each entry begins
 * with the balance after the previous one and changes it by its credits; each hold is made once and
 * resolved once, by a charge and a refund that add up to the reservation. A charge is reversed at
 * most once, by a separate refund. Keeps only open holds, daily totals, and the holds and runs
 * charged since a time.
 */
export function ledgerFold(of: FoldPlace, since: FoldSince): LedgerFold {
  const state: State = {
    ...of,
    since,
    sequence: 0,
    balance: 0,
    spent: 0,
    lifetime: 0,
    received: 0,
    isWhole: true,
    open: new Map(),
    resolved: new Map(),
    usage: new Map(),
    charged: new Map(),
  };
  return {
    take(entry) {
      const differences = [
        ...gapBefore(state, entry.sequence, ledgerOf(state, entry)),
        ...idDifferences(state, entry),
        ...chainDifferences(state, entry),
        ...holdDifferences(state, entry),
      ];
      state.sequence = entry.sequence;
      state.balance = entry.balanceAfter;
      if (entry.type === "purchase" || entry.isOpening) state.lifetime += entry.credits;
      if (changeTypes.has(entry.type)) state.received += entry.balanceAfter - entry.balanceBefore;
      return differences;
    },
    move(credits) {
      state.balance += credits;
    },
    goOnFrom({ sequence, balance }, place) {
      const isBefore = sequence < state.sequence;
      const wrong = isBefore
        ? fieldDifferences(
            place,
            { sequence_before: sequence },
            { sequence_before: state.sequence },
          )
        : gapBefore(state, sequence + 1, state.place);
      if (isBefore) state.isWhole = false;
      const stored = { balance_before: balance };
      const chain = fieldDifferences(place, stored, { balance_before: state.balance });
      state.sequence = sequence;
      state.balance = balance;
      return wrong.length > 0 ? wrong : chain;
    },
    state: () => ({ balance: state.balance, sequence: state.sequence }),
    end(sequence) {
      const gap = gapBefore(state, sequence + 1, state.place);
      return { sums: state, differences: [...gap, ...halfResolved(state)] };
    },
  };
}

const changeTypes: ReadonlySet<LedgerEntry["type"]> = new Set(["grant", "purchase", "adjust"]);

/** An entry from before there were shards is in the account's own ledger. */
const ledgerOf = ({ accountId, place }: State, { id }: LedgerEntry): string =>
  id === null ? place : accountId;

function gapBefore(state: State, sequence: number, ledger: string): Difference[] {
  const [first, last] = [state.sequence + 1, sequence - 1];
  if (first > last) return [];
  state.isWhole = false;
  const which = first === last ? `entry ${first}` : `entries ${first} to ${last}`;
  const place = `${ledger} ${which}`;
  return [{ place, field: "row", stored: missing, expected: present }];
}

/** Pages of the history continue after an ID, so each entry must have the ID of its number. */
const idDifferences = ({ accountId }: State, { id, sequence }: LedgerEntry): Difference[] =>
  id === null
    ? []
    : fieldDifferences(
        `${accountId} entry ${sequence}`,
        { id },
        { id: numberedId("creditTransaction", sequence, accountId) },
      );

function chainDifferences(state: State, entry: LedgerEntry): Difference[] {
  const place = `${ledgerOf(state, entry)} entry ${entry.sequence}`;
  const { type, credits, balanceBefore, balanceAfter } = entry;
  const follows = entry.sequence === state.sequence + 1;
  const changed = balanceAfter - balanceBefore;
  const expected = balanceBefore + creditChange(type, credits, changed);
  return [
    ...(follows && balanceBefore !== state.balance
      ? [{ place, field: "balance_before", stored: balanceBefore, expected: state.balance }]
      : []),
    ...(balanceAfter === expected
      ? []
      : [{ place, field: "balance_after", stored: balanceAfter, expected }]),
    ...(balanceAfter < 0
      ? [{ place, field: "balance_after", stored: balanceAfter, expected: "0 or more" }]
      : []),
  ];
}

/** Returns how an entry changes the balance. An adjustment can do both. */
function creditChange(type: LedgerEntry["type"], credits: number, changed: number): number {
  if (type === "charge") return 0;
  if (type === "reserve" || (type === "adjust" && changed < 0)) return -credits;
  return credits;
}

function holdDifferences(state: State, entry: LedgerEntry): Difference[] {
  const { type, holdId, chargedAt } = entry;
  if (chargedAt !== null) return reverseCharge(state, { ...entry, chargedAt }, holdId ?? "");
  if (type === "reserve") return reserve(state, entry, holdId ?? "");
  if (type === "charge" || type === "refund") return resolve(state, entry, holdId ?? "");
  return [];
}

function reserve(state: State, entry: LedgerEntry, holdId: string): Difference[] {
  const { id, credits, source, sequence } = entry;
  const isOpen = state.open.has(holdId);
  const takesSlot = source !== null && "requestId" in source;
  const where = { shard: state.shard, hasRow: id !== null || !takesSlot };
  state.open.set(holdId, { ...where, credits, takesSlot, source, resolved: 0, charged: 0 });
  const place = `${ledgerOf(state, entry)} entry ${sequence}`;
  return isOpen
    ? [{ place, field: `reserve of hold ${holdId}`, stored: "made again", expected: "made once" }]
    : [];
}

function resolve(state: State, entry: LedgerEntry, holdId: string): Difference[] {
  const { open } = state;
  const ledger = ledgerOf(state, entry);
  const charged = entry.type === "charge" ? entry.credits : 0;
  if (entry.type === "charge") countCharge(state, entry);
  const hold = open.get(holdId);
  if (hold === undefined) {
    // Its reservation may be among the missing entries.
    if (!state.isWhole) return [];
    const place = `${ledger} entry ${entry.sequence}`;
    const field = `${entry.type} of hold ${holdId}`;
    return [{ place, field, stored: "resolves it again", expected: "a hold that is open" }];
  }
  const wrongSource = sourceDifferences(`${ledger} entry ${entry.sequence}`, entry, hold);
  const resolved = hold.resolved + entry.credits;
  if (resolved < hold.credits) {
    open.set(holdId, { ...hold, resolved, charged: hold.charged + charged });
    return wrongSource;
  }
  open.delete(holdId);
  if (new Date(entry.createdAt) >= state.since.resolved) {
    const { shard, hasRow } = hold;
    state.resolved.set(holdId, { shard, hasRow, charged: hold.charged + charged });
  }
  countDay(state, entry, { requests: 1, credits: 0 });
  return resolved === hold.credits
    ? wrongSource
    : [...wrongSource, wronglyResolved(`${ledger} hold ${holdId}`, hold.credits, resolved)];
}

/**
 * A charge and a refund must have the source of the reservation, with no more items. A process of
 * an earlier release leaves out fields that it does not support.
 */
function sourceDifferences(
  place: string,
  { source, itemsCharged = 0 }: LedgerEntry,
  reserved: Hold,
): Difference[] {
  const wanted: Record<string, string | number | undefined> = { ...reserved.source };
  const wrong = Object.entries({ ...source })
    .filter(([name, value]) => value !== wanted[name])
    .map(([name, value]) => ({
      place,
      field: name,
      stored: String(value),
      expected: String(wanted[name] ?? missing),
    }));
  const most = reserved.source?.items ?? Infinity;
  const tooMany = { place, field: "items_charged", stored: itemsCharged, expected: `0 to ${most}` };
  return itemsCharged > most ? [...wrong, tooMany] : wrong;
}

/** Checks the reversal of a complete charge. */
function reverseCharge(
  state: State,
  entry: LedgerEntry & { readonly chargedAt: string },
  holdId: string,
): Difference[] {
  const { credits, chargedAt, sequence } = entry;
  const hold = state.resolved.get(holdId);
  const charged = hold?.charged;
  state.spent -= credits;
  countDay(state, { ...entry, createdAt: chargedAt }, { requests: 0, credits: -credits });
  if (hold !== undefined) state.resolved.set(holdId, { ...hold, hasRow: true, charged: 0 });
  // Holds that were resolved long ago, and those of missing entries, are not kept.
  const isKept = new Date(chargedAt) >= state.since.resolved && state.isWhole;
  if (!isKept || charged === credits) return [];
  const place = `${ledgerOf(state, entry)} entry ${sequence}`;
  const field = `refund of the charge of hold ${holdId}`;
  return [{ place, field, stored: credits, expected: charged ?? "a hold that was charged" }];
}

function countCharge(state: State, entry: LedgerEntry): void {
  const { credits, source, createdAt } = entry;
  state.spent += credits;
  countDay(state, entry, { requests: 0, credits });
  if (source === null || !("runId" in source) || new Date(createdAt) < state.since.charges) return;
  state.charged.set(source.runId, (state.charged.get(source.runId) ?? 0) + credits);
}

/** The usage of a shard's journal follows from its records. */
function countDay({ usage }: State, { id, createdAt }: LedgerEntry, more: DayUsage): void {
  if (id === null) return;
  const date = createdAt.slice(0, 10);
  const { requests, credits } = usage.get(date) ?? { requests: 0, credits: 0 };
  usage.set(date, { requests: requests + more.requests, credits: credits + more.credits });
}

/** Charge and refund are written in one transaction, so a hold with only one of them is damaged. */
const halfResolved = ({ place, open, isWhole }: State): Difference[] =>
  isWhole
    ? [...open]
        .filter(([, { resolved }]) => resolved > 0)
        .map(([holdId, hold]) =>
          wronglyResolved(`${place} hold ${holdId}`, hold.credits, hold.resolved),
        )
    : [];

const wronglyResolved = (place: string, reserved: number, resolved: number): Difference => ({
  place,
  field: "charge and refund",
  stored: resolved,
  expected: reserved,
});
