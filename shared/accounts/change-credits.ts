import { assert } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import type { ChangeOutcome, CreditChange, CreditChanges } from "../credits/credit-changes.ts";
import { creditPacks, type PackId } from "./credit-packs.ts";

export interface ChangeCreditsDependencies {
  readonly changes: CreditChanges;
  readonly clock: Clock;
}

interface Target {
  readonly accountId: string;
  /** Chosen by the caller, such as the number of an invoice: the same id changes once. */
  readonly changeId: string;
}

/** Books the purchase of a pack; it raises the lifetime credits and so the concurrency. */
export function purchasePack(
  { packId, ...target }: Target & { readonly packId: PackId },
  dependencies: ChangeCreditsDependencies,
): Promise<ChangeOutcome> {
  return change({ ...target, type: "purchase", credits: creditPacks[packId] }, dependencies);
}

/** Gives credits away; they do not count towards the concurrency tier. */
export function grantCredits(
  { credits, ...target }: Target & { readonly credits: number },
  dependencies: ChangeCreditsDependencies,
): Promise<ChangeOutcome> {
  assert(credits > 0, "a grant adds credits");
  return change({ ...target, type: "grant", credits }, dependencies);
}

/** Corrects the balance up or down, never below zero. */
export function adjustCredits(
  { credits, ...target }: Target & { readonly credits: number },
  dependencies: ChangeCreditsDependencies,
): Promise<ChangeOutcome> {
  assert(credits !== 0, "an adjustment changes the balance");
  return change({ ...target, type: "adjust", credits }, dependencies);
}

function change(
  wanted: Omit<CreditChange, "now">,
  { changes, clock }: ChangeCreditsDependencies,
): Promise<ChangeOutcome> {
  assert(Number.isSafeInteger(wanted.credits), "credits are whole numbers");
  return changes.apply({ ...wanted, now: clock.now() });
}
