import type { BooksReader } from "../../shared/aws/books-reader.ts";
import type { Clock } from "../../shared/base/clock.ts";
import {
  type Difference,
  fieldDifferences,
  missing,
  present,
} from "../../shared/base/difference.ts";
import { ledgerFold, type LedgerSums } from "../../shared/credits/ledger-fold.ts";
import {
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
}

interface BooksDependencies {
  readonly books: BooksReader;
  readonly clock: Clock;
}

/** An account's row, holds, usage and keys against its ledger. */
export const checkBooks = (
  accountId: string,
  since: Date,
  dependencies: BooksDependencies,
): Promise<BooksFound> =>
  confirmed(() => lookAtBooks(accountId, since, dependencies), dependencies);

/**
 * Entries never change: those up to the account's sequence are what the account's row must come to,
 * however the account moves on. What has moved since shows in the entries after these.
 */
async function lookAtBooks(
  accountId: string,
  since: Date,
  { books: reader }: BooksDependencies,
): Promise<BooksFound> {
  const books = await reader.books(accountId);
  if (books === undefined) return { sums: null, holds: 0, differences: [], isSteady: true };
  const fold = ledgerFold(accountId, since);
  const differences: Difference[] = [];
  for await (const entry of reader.entries(accountId, 1, books.sequence)) {
    differences.push(...fold.take(entry));
  }
  const { sums, differences: whole } = fold.end(books.sequence);
  const check = holdCheck(accountId, sums);
  let holds = 0;
  for await (const hold of reader.holds(accountId)) {
    check.take(hold);
    holds += 1;
  }
  const usage = await Array.fromAsync(reader.usage(accountId));
  const moved = await movedSince(books, reader);
  differences.push(
    ...whole,
    ...bookDifferences(books, sums),
    ...check.end(moved),
    ...usageDifferences(accountId, usage, { sums, moved }),
    ...(await keyDifferences(accountId, reader)),
  );
  return { sums, holds, differences, isSteady: true };
}

/** Asked for after the rows: what they were moved by is in the ledger by then. */
async function movedSince(
  { accountId, sequence }: StoredBooks,
  reader: BooksReader,
): Promise<Moved> {
  const [holds, dates] = [new Set<string>(), new Set<string>()];
  const now = await reader.books(accountId);
  for await (const entry of reader.entries(accountId, sequence + 1, now?.sequence ?? sequence)) {
    if (entry.holdId !== null) holds.add(entry.holdId);
    dates.add(entry.createdAt.slice(0, 10));
  }
  return { holds, dates };
}

async function keyDifferences(accountId: string, reader: BooksReader): Promise<Difference[]> {
  const { count, works } = await reader.keys(accountId);
  return [
    ...fieldDifferences(accountId, { key_count: count }, { key_count: works.size }),
    ...[...works].flatMap(([keyId, isWorking]) =>
      isWorking
        ? []
        : [{ place: `${accountId} ${keyId}`, field: "lookup", stored: missing, expected: present }],
    ),
  ];
}
