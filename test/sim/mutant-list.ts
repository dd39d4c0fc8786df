import { callMutants } from "./mutant-list-calls.ts";
import { deliveryMutants } from "./mutant-list-deliveries.ts";
import { listMutants } from "./mutant-list-lists.ts";
import { runMutants } from "./mutant-list-runs.ts";

/** A mistake of one line that somebody could make. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** What the code says, exactly once. */
  readonly says: string;
  readonly instead: string;
  /** The scenario whose seeds have to find it. */
  readonly scenario: string;
}

export const mutants: readonly Mutant[] = [
  ...callMutants,
  ...listMutants,
  ...runMutants,
  ...deliveryMutants,
];
