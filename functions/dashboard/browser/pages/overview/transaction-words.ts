import type { CreditTransaction } from "../../api/resources.ts";
import { formatChange, formatCount } from "../../format/numbers.ts";

/** Returns a string that names what a ledger entry paid for; "–" if the entry names nothing. */
export function purposeOf(entry: CreditTransaction): string {
  if (entry.run_number !== undefined)
    return `Run ${formatCount(entry.run_number)}, step ${entry.step}`;
  return entry.endpoint ?? entry.step ?? entry.request_id ?? "–";
}

/**
 * Returns the items of a ledger entry as a label: `8 of 10` if 8 of 10 requested items were
 * charged. Until the number of charged items is known, returns `10`. For an entry without items,
 * returns "–".
 */
export function itemsOf({ items_requested: asked, items_charged: charged }: CreditTransaction) {
  if (asked === undefined) return "–";
  return charged === undefined
    ? formatCount(asked)
    : `${formatCount(charged)} of ${formatCount(asked)}`;
}

const types: Readonly<Record<string, readonly [type: string, meaning: string]>> = {
  grant: ["Grant", "free credits"],
  purchase: ["Purchase", "bought credits"],
  reserve: ["Hold", "credits set aside"],
  charge: ["Charge", "paid from the hold"],
  refund: ["Refund", "rest of the hold"],
  adjust: ["Adjustment", "correction"],
};

/**
 * Returns labels for the type of a ledger entry and for the meaning of the type. For an unknown
 * type, returns the type itself and an empty meaning.
 */
export const typeWords = ({
  type,
}: Pick<CreditTransaction, "type">): readonly [type: string, meaning: string] =>
  types[type] ?? [type, ""];

/** Returns by how much a ledger entry changed the balance: `−8`, `+1`, `0`. */
export const balanceChange = ({
  balance_before: before,
  balance_after: after,
}: Pick<CreditTransaction, "balance_before" | "balance_after">): string =>
  formatChange(after - before);
