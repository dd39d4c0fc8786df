import type { Job } from "./worker.ts";

/** A seed that once found a defect of the service or of a check. */
export interface Regression extends Job {
  readonly found: string;
}

/**
 * The seeds that `playScenarios` runs first. After a change of its scenario, a seed runs other
 * steps, and may no longer reach the defect. It stays in the list nevertheless, because it takes
 * little time.
 */
export const regressions: readonly Regression[] = [
  ...[13, 75, 108, 128, 162, 362].map((seed) => ({
    scenario: "calls",
    seed,
    found: "a call returned 500 without a charge, and was charged later",
  })),
  {
    scenario: "calls",
    seed: 2474,
    found: "a check expected a charge for a call whose hold had been released",
  },
  {
    scenario: "calls",
    seed: 549,
    found: "a process that paused beyond the expiry of its hold reserved a second time",
  },
  {
    scenario: "calls",
    seed: 7307,
    found:
      "a call was charged and returned 503: the balance could not be read after its settlement",
  },
  ...[629, 932].map((seed) => ({
    scenario: "calls",
    seed,
    found: "a check expected no charge in the ledger before the worker had refunded it",
  })),
  {
    scenario: "watchlists",
    seed: 145,
    found: "a change of a watchlist returned 500 while another call paused the watchlist",
  },
  ...[1126, 1539].map((seed) => ({
    scenario: "watchlists",
    seed,
    found: "reconcile missed deliveries to an endpoint whose creation paused beyond a run's end",
  })),
  ...[9146, 9821].map((seed) => ({
    scenario: "watchlists",
    seed,
    found: "a creation that another call had finished marked the watchlist for purge again",
  })),
  {
    scenario: "watchlists",
    seed: 1385,
    found: "a page outlived a failed creation: it was written while the purge removed the rows",
  },
  {
    scenario: "watchlists",
    seed: 214,
    fault: { request: 13, kind: "crash_after" },
    found: "a run read and charged items twice whose page merged during planning",
  },
  ...[7, 73, 91].map((seed) => ({
    scenario: "runs",
    seed,
    found: "an endpoint beyond the first query page got no events",
  })),
  {
    scenario: "runs",
    seed: 243,
    found:
      "a process that had paused until its run was abandoned planned a step, and its credits stayed held",
  },
  {
    scenario: "runs",
    seed: 132,
    found: "a back-test left out the items of a deferred run whose clock was behind their creation",
  },
  {
    scenario: "runs",
    seed: 226,
    found:
      "a back-test read a step before the entry that a credit limit had deferred in the past run",
  },
];
