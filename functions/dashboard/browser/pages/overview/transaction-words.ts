import type { CreditTransaction } from "../../api/resources.ts";

/** What a ledger entry paid for, in words; "–" for one that names nothing. */
export function purposeOf(entry: CreditTransaction): string {
  if (entry.run_number !== undefined) return `Run ${entry.run_number}, step ${entry.step}`;
  return entry.endpoint ?? entry.step ?? entry.request_id ?? "–";
}

/** The items of a ledger entry: charged of requested, once it is known. */
export function itemsOf({ items_requested: asked, items_charged: charged }: CreditTransaction) {
  if (asked === undefined) return "–";
  return charged === undefined ? String(asked) : `${charged} of ${asked}`;
}
