import { brakeMutants } from "./mutant-list-brakes.ts";
import { callMutants } from "./mutant-list-calls.ts";
import { deliveryMutants } from "./mutant-list-deliveries.ts";
import { historyMutants } from "./mutant-list-history.ts";
import { limitMutants } from "./mutant-list-limits.ts";
import { versionMutants } from "./mutant-list-versions.ts";
import { watchlistMutants } from "./mutant-list-watchlists.ts";
import { runMutants } from "./mutant-list-runs.ts";
import type { Mutant } from "./mutant.ts";

export const mutants: readonly Mutant[] = [
  ...callMutants,
  ...watchlistMutants,
  ...runMutants,
  ...historyMutants,
  ...brakeMutants,
  ...limitMutants,
  ...deliveryMutants,
  ...versionMutants,
];
