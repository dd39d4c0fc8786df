import type { Ceiling } from "./ceilings.ts";
import type { Scenario } from "./scenarios.ts";

/**
 * Returns one table row for each scenario, with the columns of the command and of
 * docs/performance.md.
 */
export const capacityRows = (scenarios: readonly Scenario[]) =>
  scenarios.map(({ name, isInTime, simulated: { duration, lastEnd, waitingMax, workersMax } }) => ({
    watchlists: name,
    "median run": minutes(duration.p50),
    "slowest run": minutes(duration.max),
    "all done after": minutes(lastEnd),
    "batches waiting": `${waitingMax.batches}`,
    "concurrent workers": `${workersMax}`,
    "in time": isInTime ? "yes" : "no",
  }));

/**
 * Returns one table row for each ceiling, with the columns of the command and of
 * docs/performance.md.
 */
export const ceilingRows = (ceilings: readonly Ceiling[]) =>
  ceilings.map(({ of, what, ceiling, constant, quota }) => ({
    of,
    limit: what,
    ceiling,
    "set by": constant,
    "AWS quota": quota,
  }));

const minutes = (seconds: number): string =>
  seconds < 60 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(1)} min`;
