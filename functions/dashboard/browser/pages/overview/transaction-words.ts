import type { CreditTransaction } from "../../api/resources.ts";
import { formatCount } from "../../format/numbers.ts";

/** Returns a string that names what a ledger entry paid for; "–" if the entry names nothing. */
export function purposeOf(entry: CreditTransaction): string {
  if (entry.run_number !== undefined)
    return `Run ${formatCount(entry.run_number)}, step ${entry.step}`;
  return entry.endpoint ?? entry.step ?? entry.request_id ?? "–";
}

/**
 * Returns the items of a ledger entry as a label: `8 of 10` if 8 of 10 requested items were
 * charged, `10` until the number of charged items is known, or "–" for an entry without items.
 */
export function itemsOf({ items_requested: asked, items_charged: charged }: CreditTransaction) {
  if (asked === undefined) return "–";
  return charged === undefined
    ? formatCount(asked)
    : `${formatCount(charged)} of ${formatCount(asked)}`;
}
