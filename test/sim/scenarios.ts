import type { Scenario } from "./scenario.ts";
import { calls } from "./scenarios/calls.ts";
import { flows } from "./scenarios/flows.ts";
import { ledgerPairs } from "./scenarios/ledger-pairs.ts";
import { deliveries } from "./scenarios/deliveries.ts";
import { watchlists } from "./scenarios/watchlists.ts";
import { runs } from "./scenarios/runs.ts";
import { releases } from "./scenarios/releases.ts";

/** The scenarios that run by default, in this order. */
export const scenarios: readonly Scenario[] = [calls, runs, releases, watchlists, deliveries];

/**
 * Returns the scenario or flow with a name.
 * @throws Error with the known names if no scenario or flow has this name
 */
export function scenarioNamed(name: string): Scenario {
  const found = [...scenarios, ...flows, ledgerPairs].find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = scenarios.map((one) => one.name).join(", ");
  throw new Error(`There is no scenario "${name}". Scenarios: ${names}.`);
}
