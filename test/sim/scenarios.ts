import type { Scenario } from "./scenario.ts";
import { calls } from "./scenarios/calls.ts";
import { flows } from "./scenarios/flows.ts";
import { ledgerPairs } from "./scenarios/ledger-pairs.ts";
import { deliveries } from "./scenarios/deliveries.ts";
import { watchlists } from "./scenarios/watchlists.ts";
import { runs } from "./scenarios/runs.ts";

/** Scenarios of the default run, in order. */
export const scenarios: readonly Scenario[] = [calls, runs, watchlists, deliveries];

/** @throws Error that lists the known names */
export function scenarioNamed(name: string): Scenario {
  const found = [...scenarios, ...flows, ledgerPairs].find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = scenarios.map((one) => one.name).join(", ");
  throw new Error(`No scenario is called ${name}. Known scenarios: ${names}.`);
}
