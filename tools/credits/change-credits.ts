import { assert } from "../../shared/base/assert.ts";
import type { Clock } from "../../shared/base/clock.ts";
import type { ChangeOutcome, CreditChange, CreditChanges } from "./credit-changes.ts";
import { creditPacks, type PackId } from "../../shared/accounts/credit-packs.ts";

export interface ChangeCreditsDependencies {
  readonly changes: CreditChanges;
  readonly clock: Clock;
}

interface Target {
  readonly accountId: string;
  /** Idempotency ID, chosen by the caller, such as an invoice number. */
  readonly changeId: string;
}

/**
 * Adds the credits of a purchased pack to the balance and to the lifetime credits. Returns
 * `changed` with the new balance. A repeated call with the same `changeId` and a pack of the same
 * size changes nothing and returns the first result. Returns `id_reused` if the `changeId` belongs
 * to a change of another type or amount, and `unknown_account` if the account does not exist;
 * in both cases, nothing changes.
 */
export function purchasePack(
  { packId, ...target }: Target & { readonly packId: PackId },
  dependencies: ChangeCreditsDependencies,
): Promise<ChangeOutcome> {
  return change({ ...target, type: "purchase", credits: creditPacks[packId] }, dependencies);
}

/**
 * Adds credits to the balance, but not to the lifetime credits. Returns `changed` with the new
 * balance. A repeated call with the same `changeId` and `credits` changes nothing and returns the
 * first result. Returns `id_reused` if the `changeId` belongs to a change of another type or
 * amount, and `unknown_account` if the account does not exist; in both cases, nothing changes.
 * @param credits whole number above 0
 * @throws Error for any other number
 */
export function grantCredits(
  { credits, ...target }: Target & { readonly credits: number },
  dependencies: ChangeCreditsDependencies,
): Promise<ChangeOutcome> {
  assert(credits > 0, "a grant must add credits");
  return change({ ...target, type: "grant", credits }, dependencies);
}

/**
 * Adds credits to the balance, or removes them if `credits` is negative. Returns `changed` with the
 * new balance. If the balance would become negative, changes nothing and returns `insufficient`; a
 * later call with the same `changeId` tries again. A repeated call after a change, with the same
 * `changeId` and `credits`, changes nothing and returns the first result. Returns `id_reused` if
 * the `changeId` belongs to a change of another type or amount, and `unknown_account` if the
 * account does not exist; in both cases, nothing changes.
 * @param credits whole number, not 0
 * @throws Error for any other number
 */
export function adjustCredits(
  { credits, ...target }: Target & { readonly credits: number },
  dependencies: ChangeCreditsDependencies,
): Promise<ChangeOutcome> {
  assert(credits !== 0, "an adjustment must change the balance");
  return change({ ...target, type: "adjust", credits }, dependencies);
}

function change(
  wanted: Omit<CreditChange, "now">,
  { changes, clock }: ChangeCreditsDependencies,
): Promise<ChangeOutcome> {
  assert(Number.isSafeInteger(wanted.credits), "credits must be whole numbers");
  return changes.apply({ ...wanted, now: clock.now() });
}
