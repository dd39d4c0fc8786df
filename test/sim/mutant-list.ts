import { callMutants } from "./mutant-list-calls.ts";
import { deliveryMutants } from "./mutant-list-deliveries.ts";
import { listMutants } from "./mutant-list-watchlists.ts";
import { runMutants } from "./mutant-list-runs.ts";
import type { Mutant } from "./mutant.ts";

export const mutants: readonly Mutant[] = [
  ...callMutants,
  ...listMutants,
  ...runMutants,
  ...deliveryMutants,
];
