import { type Account, concurrencyFor } from "../../shared/accounts/account.ts";
import { assert } from "../../shared/base/assert.ts";
import { numberedId, numberOf } from "../../shared/base/ids.ts";
import type { CreditChange, CreditChanges } from "../../shared/credits/credit-changes.ts";
import {
  type CreditHistory,
  type CreditTransaction,
  type ListedTransaction,
  matches,
} from "../../shared/credits/credit-history.ts";
import type {
  CreditSource,
  Ledger,
  Reservation,
  Settled,
  Settlement,
} from "../../shared/credits/ledger.ts";

interface Hold {
  readonly reservation: Reservation;
  settled?: Settled;
  settledAt?: string;
}

interface AccountState {
  account: Account;
  readonly entries: CreditTransaction[];
  readonly holds: Map<string, Hold>;
  readonly changes: Map<string, { readonly change: CreditChange; readonly after: Account }>;
}

export interface MemoryLedger extends Ledger {
  readonly changes: CreditChanges;
  readonly history: CreditHistory;
  /** Opens an account with its signup grant. */
  open(accountId: string, signupCredits: number): void;
  account(accountId: string): Account | undefined;
}

/** Creates an in-memory ledger. */
export function memoryLedger(): MemoryLedger {
  const all = new Map<string, AccountState>();
  const stateOf = (accountId: string): AccountState => {
    const state = all.get(accountId);
    assert(state !== undefined, "the account exists");
    return state;
  };
  return {
    open: (accountId, signupCredits) => all.set(accountId, opened(accountId, signupCredits)),
    account: (accountId) => all.get(accountId)?.account,
    reserve: async (reservation) => reserve(stateOf(reservation.accountId), reservation),
    settle: async ({ accountId, ...settlement }) => settle(stateOf(accountId), settlement),
    release: async ({ accountId, holdId, now }) => {
      const state = stateOf(accountId);
      if (state.holds.has(holdId)) settle(state, { holdId, credits: 0, now });
    },
    cancel: async ({ accountId, holdId, now }) => cancel(stateOf(accountId), { holdId, now }),
    accountsWithExpiredHolds: async (now, limit) =>
      [...all]
        .flatMap(([id, state]) => (expired(state, now).length > 0 ? [id] : []))
        .slice(0, limit),
    releaseExpired: async (accountId, now) => releaseExpired(stateOf(accountId), now),
    changes: {
      apply: async (change) => {
        const state = all.get(change.accountId);
        return state === undefined ? { outcome: "unknown_account" } : apply(state, change);
      },
    },
    history: {
      async page(accountId, { limit, startingAfter, filter = {} }) {
        const before =
          startingAfter === undefined
            ? Infinity
            : numberOf("creditTransaction", startingAfter, accountId);
        assert(before !== undefined, "a cursor names an entry");
        const older = (all.get(accountId)?.entries ?? []).filter(
          (entry) => entry.sequence < before && matches(entry, filter),
        );
        const transactions = older
          .toReversed()
          .slice(0, limit)
          .map((entry) => listed(entry, accountId));
        const next = older.length > limit ? (transactions.at(-1)?.id ?? null) : null;
        return { transactions, next };
      },
    },
  };
}

const listed = (entry: CreditTransaction, accountId: string): ListedTransaction => ({
  ...entry,
  id: numberedId("creditTransaction", entry.sequence, accountId),
});

function opened(id: string, signupCredits: number): AccountState {
  const createdAt = "2026-01-01T00:00:00.000Z";
  const account: Account = {
    id,
    name: "Memory",
    email: "memory@example.com",
    demo: false,
    balance: 0,
    held: 0,
    spent: 0,
    lifetime: signupCredits,
    inFlight: 0,
    autoTopUp: null,
    dailyCreditBudget: null,
    createdAt,
  };
  const state: AccountState = { account, entries: [], holds: new Map(), changes: new Map() };
  const source = null;
  append(state, { type: "grant", credits: signupCredits, moves: signupCredits, source, createdAt });
  return state;
}

function append(
  state: AccountState,
  entry: Pick<CreditTransaction, "type" | "credits" | "source" | "itemsCharged" | "createdAt"> & {
    moves: number;
    chargedAt?: string;
  },
): void {
  const { moves, chargedAt = null, ...shown } = entry;
  const { balance } = state.account;
  state.entries.push({
    ...shown,
    chargedAt,
    sequence: state.entries.length + 1,
    balanceBefore: balance,
    balanceAfter: balance + moves,
  });
  state.account = { ...state.account, balance: balance + moves };
}

function reserve(
  state: AccountState,
  reservation: Reservation,
): Awaited<ReturnType<Ledger["reserve"]>> {
  const { holdId, credits, slot, source, now } = reservation;
  const before = state.holds.get(holdId);
  if (before !== undefined) return { outcome: "reserved" };
  const short = (): boolean => state.account.balance < credits;
  const limit = concurrencyFor(state.account.lifetime);
  const full = (): boolean => slot && state.account.inFlight >= limit;
  if (short() || full()) releaseExpired(state, now);
  const { balance } = state.account;
  if (short()) return { outcome: "insufficient", balance };
  if (full()) return { outcome: "no_slot", limit, balance };
  append(state, {
    type: "reserve",
    credits,
    moves: -credits,
    source,
    createdAt: now.toISOString(),
  });
  occupy(state, { credits, slots: slot ? 1 : 0 });
  state.holds.set(holdId, { reservation });
  return { outcome: "reserved" };
}

function settle(
  state: AccountState,
  { holdId, credits, items, now }: Pick<Settlement, "holdId" | "credits" | "items" | "now">,
): Settled {
  const hold = state.holds.get(holdId);
  assert(hold !== undefined, "only a hold that exists is resolved");
  if (hold.settled !== undefined) {
    return { credits: hold.settled.credits, balance: state.account.balance };
  }
  const { credits: held, slot, source } = hold.reservation;
  assert(credits <= held, "a charge is at most the reserved credits");
  for (const part of resolution(held, credits)) {
    const itemsCharged = items ?? (credits === 0 ? 0 : undefined);
    append(state, {
      ...part,
      source,
      ...(itemsCharged !== undefined && { itemsCharged }),
      createdAt: now.toISOString(),
    });
  }
  occupy(state, { credits: -held, slots: slot ? -1 : 0 });
  state.account = { ...state.account, spent: state.account.spent + credits };
  hold.settled = { credits, balance: state.account.balance };
  hold.settledAt = now.toISOString();
  return hold.settled;
}

function cancel(state: AccountState, { holdId, now }: { holdId: string; now: Date }): void {
  const hold = state.holds.get(holdId);
  if (hold === undefined) return;
  const { credits } = settle(state, { holdId, credits: 0, now });
  if (credits === 0) return;
  const { source } = hold.reservation;
  const createdAt = now.toISOString();
  append(state, {
    type: "refund",
    credits,
    moves: credits,
    source,
    createdAt,
    chargedAt: hold.settledAt ?? createdAt,
  });
  state.account = { ...state.account, spent: state.account.spent - credits };
  hold.settled = { credits: 0, balance: state.account.balance };
}

const resolution = (held: number, charged: number) =>
  [
    { type: "charge" as const, credits: charged, moves: 0 },
    { type: "refund" as const, credits: held - charged, moves: held - charged },
  ].filter(({ type, credits }) => credits > 0 || (type === "charge" && held === 0));

function occupy(state: AccountState, change: { credits: number; slots: number }): void {
  const { held, inFlight } = state.account;
  state.account = {
    ...state.account,
    held: held + change.credits,
    inFlight: inFlight + change.slots,
  };
}

const expired = ({ holds }: AccountState, now: Date): string[] =>
  [...holds].flatMap(([id, { settled, reservation }]) =>
    settled === undefined && reservation.expiresAt < now ? [id] : [],
  );

function releaseExpired(state: AccountState, now: Date): number {
  const holdIds = expired(state, now);
  for (const holdId of holdIds) settle(state, { holdId, credits: 0, now });
  return holdIds.length;
}

function apply(
  state: AccountState,
  change: CreditChange,
): Awaited<ReturnType<CreditChanges["apply"]>> {
  const { changeId, type, credits, now } = change;
  const before = state.changes.get(changeId);
  if (before === undefined) {
    const { balance, lifetime } = state.account;
    if (balance + credits < 0) return { outcome: "insufficient", balance };
    const source: CreditSource | null = null;
    const createdAt = now.toISOString();
    append(state, { type, credits: Math.abs(credits), moves: credits, source, createdAt });
    const bought = type === "purchase" ? credits : 0;
    state.account = { ...state.account, lifetime: lifetime + bought };
    state.changes.set(changeId, { change, after: state.account });
  } else if (before.change.type !== type || before.change.credits !== credits) {
    return { outcome: "id_reused" };
  }
  const { balance, lifetime } = before?.after ?? state.account;
  return { outcome: "changed", balance, lifetime };
}
