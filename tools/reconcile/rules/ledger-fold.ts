import { type Difference, fieldDifferences, missing, present } from "./difference.ts";
import { numberedId } from "../../../shared/base/ids.ts";
import type { CreditTransaction } from "../../../shared/credits/credit-history.ts";
import type { JournalState } from "../../../shared/credits/journal.ts";
import type { CreditSource } from "../../../shared/credits/ledger.ts";

/**
 * A ledger entry with the hold that it creates or resolves. Grants, purchases and adjustments have
 * no hold.
 */
export interface LedgerEntry extends CreditTransaction {
  /** The ID of the entry; null for an entry of a shard's journal, which stores no ID. */
  readonly id: string | null;
  readonly holdId: string | null;
  /** True for the first grant of an account. */
  readonly isOpening: boolean;
}

/** The shard of a hold, and how the hold is stored. */
interface HoldPlace {
  readonly shard: number;
  /**
   * True if the hold has a separate row: the hold of a run's step, of an unsharded call, or of a
   * refunded charge.
   */
  readonly hasRow: boolean;
}

/** A hold that is not resolved. `credits` is the reservation. */
export interface OpenHold extends HoldPlace {
  readonly credits: number;
  /**
   * True for the hold of an item call, which occupies a slot. The hold of a run's step occupies
   * none.
   */
  readonly takesSlot: boolean;
}

/** A hold that was resolved. `charged` is the number of charged credits. */
export interface ResolvedHold extends HoldPlace {
  readonly charged: number;
}

/** The usage of one day. */
export interface DayUsage {
  /** The number of holds that were resolved on this day. */
  readonly requests: number;
  /** The credits charged for the holds that `requests` counts. */
  readonly credits: number;
}

/** The sums of the ledger of an account, or of one of its shards. */
export interface LedgerSums {
  /** The number of the newest entry; 0 for an empty ledger. */
  readonly sequence: number;
  readonly balance: number;
  readonly spent: number;
  /** The credits of the first grant and of all purchases. */
  readonly lifetime: number;
  /** The credits of all grants and purchases, plus or minus adjustments. */
  readonly received: number;
  /** The open holds, by hold ID. */
  readonly open: ReadonlyMap<string, OpenHold>;
  /** The holds that were resolved since `FoldSince.resolved`, by hold ID. */
  readonly resolved: ReadonlyMap<string, ResolvedHold>;
  /** The usage of unsharded entries, by UTC date. */
  readonly usage: ReadonlyMap<string, DayUsage>;
  /** The charges of entries since `FoldSince.charges`, by run ID. */
  readonly charged: ReadonlyMap<string, number>;
  /** False if entries are missing. Only sequence and balance have a meaning then. */
  readonly isWhole: boolean;
}

/** An accumulator that adds up a ledger, entry by entry, and checks its rules. */
export interface LedgerFold {
  /** Adds the next entry. Returns a difference for each rule that the entry breaks. */
  take(entry: LedgerEntry): Difference[];
  /** Adds the credits of a transfer to the balance. A transfer between shards has no entry. */
  move(credits: number): void;
  /**
   * Compares the current state with `before`, the stored state before the next entries, and then
   * continues from `before`. Returns the differences, each with the name `place`.
   */
  goOnFrom(before: JournalState, place: string): Difference[];
  /** Returns the state after the last entry. */
  state(): JournalState;
  /**
   * Returns the sums of all entries, and a difference for each rule that the whole ledger breaks.
   * @param sequence the number of the newest entry according to the stored row
   */
  end(sequence: number): { readonly sums: LedgerSums; readonly differences: Difference[] };
}

interface Hold extends OpenHold {
  readonly source: CreditSource | null;
  readonly resolved: number;
  readonly charged: number;
}

/** The times from which charges and resolved holds are included in the sums. */
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

/** The ledger to add up, which belongs to an account or to one of its shards. */
export interface FoldPlace {
  readonly accountId: string;
  readonly shard: number;
  /** The name of the ledger in reported differences. */
  readonly place: string;
}

/**
 * Creates an accumulator that adds up a ledger, entry by entry, and checks its rules:
 * - Numbers have no gap.
 * - Each entry starts with the previous balance and changes it by its credits.
 * - Each hold is created once and resolved once, by a charge and a refund whose sum is the
 *   reservation.
 * - A charge is reversed at most once, by a separate refund.
 * Keeps only open holds, daily totals, and the recent holds and charges that `since` selects.
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

/**
 * Returns the name of an entry's ledger. An entry with an ID is unsharded, so it belongs to the
 * account's own ledger.
 */
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

/**
 * Reports an entry whose ID does not contain the entry's number. Such an ID would be a wrong cursor
 * in lists of entries.
 */
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

/**
 * Returns the signed change of the balance that an entry must cause. For an adjustment, the result
 * has the sign of `changed`, the stored change.
 */
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
    // The reservation may be one of the missing entries.
    if (!state.isWhole) return [];
    const place = `${ledger} entry ${entry.sequence}`;
    const field = `hold ${holdId} of the ${entry.type}`;
    return [{ place, field, stored: "not open", expected: "open" }];
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
 * Reports a charge or refund whose source differs from the source of its reservation, or that
 * charges more items than the reservation has. An earlier release did not write all fields, so
 * missing fields are ignored.
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

/** Checks a refund of a hold's whole charge. */
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
  // The sums contain no holds that were resolved before `since`, or whose entries are missing.
  const isKept = new Date(chargedAt) >= state.since.resolved && state.isWhole;
  if (!isKept || charged === credits) return [];
  const place = `${ledgerOf(state, entry)} entry ${sequence}`;
  const field = `refund of the charge of hold ${holdId}`;
  return [{ place, field, stored: credits, expected: charged ?? "none: the hold was not charged" }];
}

function countCharge(state: State, entry: LedgerEntry): void {
  const { credits, source, createdAt } = entry;
  state.spent += credits;
  countDay(state, entry, { requests: 0, credits });
  if (source === null || !("runId" in source) || new Date(createdAt) < state.since.charges) return;
  state.charged.set(source.runId, (state.charged.get(source.runId) ?? 0) + credits);
}

/**
 * Adds to the usage of a day. Ignores entries of a shard's journal, whose usage is checked
 * separately.
 */
function countDay({ usage }: State, { id, createdAt }: LedgerEntry, more: DayUsage): void {
  if (id === null) return;
  const date = createdAt.slice(0, 10);
  const { requests, credits } = usage.get(date) ?? { requests: 0, credits: 0 };
  usage.set(date, { requests: requests + more.requests, credits: credits + more.credits });
}

/**
 * Reports holds that are resolved only in part. Charge and refund are written in one transaction,
 * so such a hold is damaged.
 */
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
  field: "sum of charge and refund",
  stored: resolved,
  expected: reserved,
});
