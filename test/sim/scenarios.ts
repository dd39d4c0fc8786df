import type { Scenario } from "./scenario.ts";
import { calls } from "./scenarios/calls.ts";
import { flows } from "./scenarios/flows.ts";
import { ledgerPairs } from "./scenarios/ledger-pairs.ts";
import { deliveries } from "./scenarios/deliveries.ts";
import { lists } from "./scenarios/lists.ts";
import { runs } from "./scenarios/runs.ts";

/** Every scenario, in the order they are played. */
export const scenarios: readonly Scenario[] = [calls, runs, lists, deliveries];

/** @throws Error naming those there are */
export function scenarioNamed(name: string): Scenario {
  const found = [...scenarios, ...flows, ledgerPairs].find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = scenarios.map((one) => one.name).join(", ");
  throw new Error(`There is no scenario ${name}; there are ${names}`);
}
