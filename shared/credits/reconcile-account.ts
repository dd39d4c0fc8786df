import { type Difference, fieldDifferences, missing, present } from "../base/difference.ts";
import type { LedgerSums } from "./ledger-fold.ts";

/** What an account's row keeps of its ledger. */
export interface StoredBooks {
  readonly accountId: string;
  readonly sequence: number;
  readonly balance: number;
  /** Reserved by open holds. */
  readonly held: number;
  readonly spent: number;
  readonly lifetime: number;
  readonly inFlight: number;
}

/** What stands in a hold's row. */
export interface StoredHold {
  readonly holdId: string;
  readonly isOpen: boolean;
  readonly credits: number;
  /** Null while it is open. */
  readonly charged: number | null;
  /** True when the sweeper finds it once it has expired. */
  readonly isDue: boolean;
}

export interface StoredUsage {
  /** UTC. */
  readonly date: string;
  readonly requests: number;
  readonly successful: number;
  readonly failed: number;
  readonly credits: number;
}

/** Holds and days that moved after the ledger was added up: of these nothing can be said. */
export interface Moved {
  readonly holds: ReadonlySet<string>;
  readonly dates: ReadonlySet<string>;
}

/** The account's row against its ledger, read up to the row's own sequence. */
export function bookDifferences(books: StoredBooks, sums: LedgerSums): Difference[] {
  // The newest entry is missing: what it left is not known.
  if (sums.sequence !== books.sequence) return [];
  const open = [...sums.open.values()];
  const whole = {
    held: open.reduce((sum, { credits }) => sum + credits, 0),
    spent: sums.spent,
    lifetime: sums.lifetime,
    in_flight: open.filter(({ takesSlot }) => takesSlot).length,
  };
  const { accountId, inFlight, ...stored } = books;
  return fieldDifferences(
    accountId,
    { ...stored, in_flight: inFlight },
    { balance: sums.balance, ...(sums.isWhole ? whole : {}) },
  );
}

/** Holds the rows of holds, taken one by one, to the ledger. */
export function holdCheck(accountId: string, sums: LedgerSums) {
  const seen = new Set<string>();
  const own: Difference[] = [];
  const suspects: { readonly holdId: string; readonly difference: Difference }[] = [];
  const placeOf = (holdId: string): string => `${accountId} hold ${holdId}`;
  const suspect = (holdId: string, differences: readonly Difference[]): void => {
    for (const difference of differences) suspects.push({ holdId, difference });
  };
  return {
    take(hold: StoredHold): void {
      const { holdId, credits, isOpen } = hold;
      own.push(...holdDifferences(placeOf(holdId), hold));
      if (!sums.isWhole) return;
      const open = sums.open.get(holdId);
      if (open !== undefined) seen.add(holdId);
      const stored = { state: isOpen ? "open" : "resolved", credits };
      const state = open === undefined ? "resolved" : "open";
      const expected = { state, credits: open?.credits ?? credits };
      suspect(holdId, fieldDifferences(placeOf(holdId), stored, expected));
    },
    end(moved: Moved): Difference[] {
      const unseen = sums.isWhole ? [...sums.open.keys()].filter((id) => !seen.has(id)) : [];
      for (const id of unseen) {
        const place = placeOf(id);
        suspect(id, [{ place, field: "row", stored: missing, expected: present }]);
      }
      const quiet = suspects.filter(({ holdId }) => !moved.holds.has(holdId));
      return [...own, ...quiet.map(({ difference }) => difference)];
    },
  };
}

/** What is wrong with a hold's row by itself. */
function holdDifferences(place: string, { isOpen, isDue, credits, charged }: StoredHold) {
  const isPossible = charged === null || (charged >= 0 && charged <= credits);
  return [
    ...fieldDifferences(place, { "due mark": isDue }, { "due mark": isOpen }),
    ...(isPossible
      ? []
      : [{ place, field: "charged", stored: charged, expected: `0 to ${credits}` }]),
  ];
}

/** Daily usage against the holds that the ledger resolved and charged on each day. */
export function usageDifferences(
  accountId: string,
  stored: readonly StoredUsage[],
  { sums, moved }: { readonly sums: LedgerSums; readonly moved: Moved },
): Difference[] {
  if (!sums.isWhole) return [];
  const rows = new Map(stored.map((row) => [row.date, row]));
  const dates = new Set([...rows.keys(), ...sums.usage.keys()]);
  return [...dates]
    .filter((date) => !moved.dates.has(date))
    .toSorted()
    .flatMap((date) => {
      const { requests, successful, failed, credits } = rows.get(date) ?? noUsage;
      const ledger = sums.usage.get(date) ?? noUsage;
      return fieldDifferences(
        `${accountId} usage ${date}`,
        { requests, "successful and failed": successful + failed, credits },
        {
          requests: ledger.requests,
          "successful and failed": requests,
          credits: ledger.credits,
        },
      );
    });
}

const noUsage = { requests: 0, successful: 0, failed: 0, credits: 0 };
