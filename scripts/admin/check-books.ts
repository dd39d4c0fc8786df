import type { BooksReader } from "../../shared/aws/books-reader.ts";
import type { Clock } from "../../shared/base/clock.ts";
import { type Difference, fieldDifferences, present } from "../../shared/base/difference.ts";
import { type FoldSince, ledgerFold, type LedgerSums } from "../../shared/credits/ledger-fold.ts";
import {
  beyondDifferences,
  bookDifferences,
  holdCheck,
  type Moved,
  type StoredBooks,
  usageDifferences,
} from "../../shared/credits/reconcile-account.ts";
import { confirmed, type Looked } from "./confirmed.ts";

interface BooksFound extends Looked {
  /** Null for an account that is not there any more. */
  readonly sums: LedgerSums | null;
  readonly holds: number;
  /** Ids of keys whose lookup rows are those of other accounts. */
  readonly strayKeys: readonly string[];
}

interface BooksDependencies {
  readonly books: BooksReader;
  readonly clock: Clock;
}

/** An account's row, holds, usage and keys against its ledger. */
export const checkBooks = (
  accountId: string,
  since: FoldSince,
  dependencies: BooksDependencies,
): Promise<BooksFound> =>
  confirmed(() => lookAtBooks(accountId, since, dependencies), dependencies);

const nothing: BooksFound = {
  sums: null,
  holds: 0,
  strayKeys: [],
  differences: [],
  isSteady: true,
};

/**
 * Entries never change: those up to the account's sequence are what the account's row must come to,
 * however the account moves on. What has moved since shows in the entries after these.
 */
async function lookAtBooks(
  accountId: string,
  since: FoldSince,
  { books: reader, clock }: BooksDependencies,
): Promise<BooksFound> {
  const books = await reader.books(accountId);
  if (books === undefined) return nothing;
  const fold = ledgerFold(accountId, since);
  const differences: Difference[] = [];
  for await (const entry of reader.entries(accountId, 1, books.sequence)) {
    differences.push(...fold.take(entry));
  }
  const { sums, differences: whole } = fold.end(books.sequence);
  const check = holdCheck(accountId, sums);
  let holds = 0;
  for await (const hold of reader.holds(accountId)) {
    check.take(hold, clock.now());
    holds += 1;
  }
  const usage = await Array.fromAsync(reader.usage(accountId));
  const { moved, beyond } = await movedSince(books, reader);
  const keys = await keyDifferences(accountId, reader);
  differences.push(
    ...whole,
    ...bookDifferences(books, sums),
    ...beyond,
    ...check.end(moved),
    ...usageDifferences(accountId, usage, { sums, moved }),
    ...keys.differences,
  );
  return { sums, holds, strayKeys: keys.stray, differences, isSteady: true };
}

/**
 * What moved since, from all entries that there are. Asked for after the rows: what they were moved
 * by is in the ledger by then. The account is asked for last: its sequence has come to every entry.
 */
async function movedSince(
  { accountId, sequence }: StoredBooks,
  reader: BooksReader,
): Promise<{ readonly moved: Moved; readonly beyond: readonly Difference[] }> {
  const [holds, dates] = [new Set<string>(), new Set<string>()];
  let newest = sequence;
  for await (const entry of reader.entries(accountId, sequence + 1)) {
    if (entry.holdId !== null) holds.add(entry.holdId);
    dates.add((entry.chargedAt ?? entry.createdAt).slice(0, 10));
    newest = entry.sequence;
  }
  const now = await reader.books(accountId);
  const beyond = now === undefined ? [] : beyondDifferences(now, newest);
  return { moved: { holds, dates }, beyond };
}

async function keyDifferences(accountId: string, reader: BooksReader) {
  const { count, lookups } = await reader.keys(accountId);
  const wrong = [...lookups].filter(([, lookup]) => lookup !== present);
  return {
    differences: [
      ...(count === null
        ? []
        : fieldDifferences(accountId, { key_count: count }, { key_count: lookups.size })),
      ...wrong.map(([keyId, stored]) => ({
        place: `${accountId} ${keyId}`,
        field: "lookup",
        stored,
        expected: present,
      })),
    ],
    stray: wrong.map(([keyId]) => keyId),
  };
}
