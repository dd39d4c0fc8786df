import type { Job } from "./worker.ts";

/** A seed that once found something, and what that was. */
export interface Regression extends Job {
  readonly found: string;
}

/** Played first, every time. A change of a scenario changes what its seeds do; they stay cheap. */
export const regressions: readonly Regression[] = [
  ...[13, 75, 108, 128, 162, 362].map((seed) => ({
    scenario: "calls",
    seed,
    found: "a call was answered 500, nothing charged, and charged after that",
  })),
  {
    scenario: "calls",
    seed: 2474,
    found: "a check wanted a charge of a call whose hold had been given back",
  },
  {
    scenario: "calls",
    seed: 549,
    found: "a process that stood still past the expiry of its hold reserved a second time",
  },
  {
    scenario: "calls",
    seed: 7307,
    found:
      "a call was charged and answered 503: the balance could not be read after its settlement",
  },
  ...[629, 932].map((seed) => ({
    scenario: "calls",
    seed,
    found: "a check wanted no charge in the ledger while a worker had still to take it back",
  })),
  {
    scenario: "lists",
    seed: 145,
    found: "a list was changed while another call paused it, and answered 500",
  },
  ...[1126, 1539].map((seed) => ({
    scenario: "lists",
    seed,
    found: "reconcile missed deliveries to an endpoint whose creation stood still past a run's end",
  })),
  ...[9146, 9821].map((seed) => ({
    scenario: "lists",
    seed,
    found:
      "a creation that was taken over marked the finished list anew, which was purged an hour later",
  })),
  {
    scenario: "lists",
    seed: 1385,
    found:
      "a page outlived the creation that failed: it was still being written while all was removed",
  },
  {
    scenario: "lists",
    seed: 214,
    fault: { request: 13, kind: "crash_after" },
    found: "a run read and charged items twice whose page merged while it was planned",
  },
  ...[7, 73, 91].map((seed) => ({
    scenario: "runs",
    seed,
    found: "an endpoint beyond the first page of a query got no events",
  })),
];
