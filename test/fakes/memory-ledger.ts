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

interface Books {
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
  const all = new Map<string, Books>();
  const booksOf = (accountId: string): Books => {
    const books = all.get(accountId);
    assert(books !== undefined, "the account exists");
    return books;
  };
  return {
    open: (accountId, signupCredits) => all.set(accountId, opened(accountId, signupCredits)),
    account: (accountId) => all.get(accountId)?.account,
    reserve: async (reservation) => reserve(booksOf(reservation.accountId), reservation),
    settle: async ({ accountId, ...settlement }) => settle(booksOf(accountId), settlement),
    release: async ({ accountId, holdId, now }) => {
      const books = booksOf(accountId);
      if (books.holds.has(holdId)) settle(books, { holdId, credits: 0, now });
    },
    cancel: async ({ accountId, holdId, now }) => cancel(booksOf(accountId), { holdId, now }),
    accountsWithExpiredHolds: async (now, limit) =>
      [...all]
        .flatMap(([id, books]) => (expired(books, now).length > 0 ? [id] : []))
        .slice(0, limit),
    releaseExpired: async (accountId, now) => releaseExpired(booksOf(accountId), now),
    changes: {
      apply: async (change) => {
        const books = all.get(change.accountId);
        return books === undefined ? { outcome: "unknown_account" } : apply(books, change);
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

function opened(id: string, signupCredits: number): Books {
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
    createdAt,
  };
  const books: Books = { account, entries: [], holds: new Map(), changes: new Map() };
  const source = null;
  append(books, { type: "grant", credits: signupCredits, moves: signupCredits, source, createdAt });
  return books;
}

function append(
  books: Books,
  entry: Pick<CreditTransaction, "type" | "credits" | "source" | "itemsCharged" | "createdAt"> & {
    moves: number;
    chargedAt?: string;
  },
): void {
  const { moves, chargedAt = null, ...shown } = entry;
  const { balance } = books.account;
  books.entries.push({
    ...shown,
    chargedAt,
    sequence: books.entries.length + 1,
    balanceBefore: balance,
    balanceAfter: balance + moves,
  });
  books.account = { ...books.account, balance: balance + moves };
}

function reserve(books: Books, reservation: Reservation): Awaited<ReturnType<Ledger["reserve"]>> {
  const { holdId, credits, slot, source, now } = reservation;
  const before = books.holds.get(holdId);
  if (before !== undefined) return { outcome: "reserved" };
  const short = (): boolean => books.account.balance < credits;
  const limit = concurrencyFor(books.account.lifetime);
  const full = (): boolean => slot && books.account.inFlight >= limit;
  if (short() || full()) releaseExpired(books, now);
  const { balance } = books.account;
  if (short()) return { outcome: "insufficient", balance };
  if (full()) return { outcome: "no_slot", limit, balance };
  append(books, {
    type: "reserve",
    credits,
    moves: -credits,
    source,
    createdAt: now.toISOString(),
  });
  occupy(books, { credits, slots: slot ? 1 : 0 });
  books.holds.set(holdId, { reservation });
  return { outcome: "reserved" };
}

function settle(
  books: Books,
  { holdId, credits, items, now }: Pick<Settlement, "holdId" | "credits" | "items" | "now">,
): Settled {
  const hold = books.holds.get(holdId);
  assert(hold !== undefined, "only a hold that exists is resolved");
  if (hold.settled !== undefined) {
    return { credits: hold.settled.credits, balance: books.account.balance };
  }
  const { credits: held, slot, source } = hold.reservation;
  assert(credits <= held, "a charge is at most what was reserved");
  for (const part of resolution(held, credits)) {
    const itemsCharged = items ?? (credits === 0 ? 0 : undefined);
    append(books, {
      ...part,
      source,
      ...(itemsCharged !== undefined && { itemsCharged }),
      createdAt: now.toISOString(),
    });
  }
  occupy(books, { credits: -held, slots: slot ? -1 : 0 });
  books.account = { ...books.account, spent: books.account.spent + credits };
  hold.settled = { credits, balance: books.account.balance };
  hold.settledAt = now.toISOString();
  return hold.settled;
}

function cancel(books: Books, { holdId, now }: { holdId: string; now: Date }): void {
  const hold = books.holds.get(holdId);
  if (hold === undefined) return;
  const { credits } = settle(books, { holdId, credits: 0, now });
  if (credits === 0) return;
  const { source } = hold.reservation;
  const createdAt = now.toISOString();
  append(books, {
    type: "refund",
    credits,
    moves: credits,
    source,
    createdAt,
    chargedAt: hold.settledAt ?? createdAt,
  });
  books.account = { ...books.account, spent: books.account.spent - credits };
  hold.settled = { credits: 0, balance: books.account.balance };
}

const resolution = (held: number, charged: number) =>
  [
    { type: "charge" as const, credits: charged, moves: 0 },
    { type: "refund" as const, credits: held - charged, moves: held - charged },
  ].filter(({ type, credits }) => credits > 0 || (type === "charge" && held === 0));

function occupy(books: Books, change: { credits: number; slots: number }): void {
  const { held, inFlight } = books.account;
  books.account = {
    ...books.account,
    held: held + change.credits,
    inFlight: inFlight + change.slots,
  };
}

const expired = ({ holds }: Books, now: Date): string[] =>
  [...holds].flatMap(([id, { settled, reservation }]) =>
    settled === undefined && reservation.expiresAt < now ? [id] : [],
  );

function releaseExpired(books: Books, now: Date): number {
  const holdIds = expired(books, now);
  for (const holdId of holdIds) settle(books, { holdId, credits: 0, now });
  return holdIds.length;
}

function apply(books: Books, change: CreditChange): Awaited<ReturnType<CreditChanges["apply"]>> {
  const { changeId, type, credits, now } = change;
  const before = books.changes.get(changeId);
  if (before === undefined) {
    const { balance, lifetime } = books.account;
    if (balance + credits < 0) return { outcome: "insufficient", balance };
    const source: CreditSource | null = null;
    const createdAt = now.toISOString();
    append(books, { type, credits: Math.abs(credits), moves: credits, source, createdAt });
    const bought = type === "purchase" ? credits : 0;
    books.account = { ...books.account, lifetime: lifetime + bought };
    books.changes.set(changeId, { change, after: books.account });
  } else if (before.change.type !== type || before.change.credits !== credits) {
    return { outcome: "id_reused" };
  }
  const { balance, lifetime } = before?.after ?? books.account;
  return { outcome: "changed", balance, lifetime };
}
