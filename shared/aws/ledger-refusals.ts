import { type CancellationReason, codesOf, isContention, type Note } from "./dynamo.ts";
import { accountPosition, type Books, holdPosition } from "./ledger-transactions.ts";

/** True when the condition of a write did not hold. */
export const refused = (reasons: readonly CancellationReason[], position: number): boolean =>
  reasons[position]?.code === "ConditionalCheckFailed";

/**
 * Reads the refusals of one change of the books; `forget` drops what a process remembers of them.
 * Somebody else's transaction came first, or the rows are busy: what is known now may do. An entry is
 * only ever written with the account's sequence: one that is refused where the account is not, twice
 * from the same books, is damage.
 */
export function refusals(
  accountId: string,
  forget: () => void,
): (reasons: readonly CancellationReason[], books: Books, note: Note) => "again" {
  let doubted: number | undefined;
  return (reasons, { sequence }, note) => {
    note(`ledger of ${accountId}: ${codesOf(reasons)}`);
    if (refused(reasons, accountPosition) || isContention(reasons)) return "again";
    const position = reasons.findIndex((_, n) => refused(reasons, n));
    if (position <= holdPosition)
      throw new Error(`Ledger transaction refused: ${codesOf(reasons)}`);
    if (doubted === sequence) {
      const entry = sequence + position - holdPosition;
      throw new Error(
        `Ledger damaged: ${accountId} is at sequence ${sequence}, but its entry ${entry} is there`,
      );
    }
    doubted = sequence;
    forget();
    return "again";
  };
}
