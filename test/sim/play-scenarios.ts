import type { Profile } from "./faults.ts";
import type { Played } from "./play.ts";
import { startPool, type WorkerPool } from "./pool.ts";
import { regressions } from "./regressions.ts";
import {
  addTo,
  emptyTally,
  type Tally,
  printCoverage,
  printOverlaps,
  printViolation,
  type SimResult,
} from "./report.ts";
import { scenarioNamed, scenarios } from "./scenarios.ts";
import type { Job } from "./worker.ts";
import { progressOf } from "../../tools/command-line/progress.ts";

export interface PlayScenariosOptions {
  /** The number of seeds of each scenario. */
  readonly seeds: number;
  readonly from: number;
  /**
   * The only scenario to run.
   * @default all scenarios
   */
  readonly scenario?: string | undefined;
  /**
   * The profile of the injected faults, for all seeds.
   * @default each seed has its own
   */
  readonly profile?: Profile | undefined;
  readonly workers?: number | undefined;
}

/** The number of seeds that run twice, to check that a seed is deterministic. */
const replays = 100;

/**
 * If at least this number of seeds of every scenario ran, the report requires the whole coverage.
 */
const seedsWithCoverage = 300;

interface Visit {
  readonly job: Job;
  readonly request: number;
  /** The number of requests that the seed sent. */
  readonly attempts: number;
}

interface Sums {
  readonly tally: Tally;
  requests: number;
  violations: number;
  readonly hashes: Map<string, string>;
  /**
   * For each call site, a request that it sent. The request is from the seed with the fewest
   * requests among the seeds that reached the site. A crash can be planned at this request.
   */
  readonly visited: Map<string, Visit>;
  differing: number;
  replayed: number;
}

/**
 * Runs the regression seeds, and then seeds of each scenario, some of them twice. `passed` is false
 * if there was a violation, if the second run of a seed differed, or if required coverage was not
 * reached. The coverage of faults and rare states is required only if every scenario ran with at
 * least 300 seeds. `printOverlaps` states when overlapping writes are required.
 * @throws Error if no scenario has the name `scenario`
 */
export async function playScenarios(options: PlayScenariosOptions): Promise<SimResult> {
  const { workers, scenario } = options;
  const names = scenario === undefined ? scenarios.map(({ name }) => name) : [scenario];
  for (const name of names) scenarioNamed(name);
  const startedAt = performance.now();
  const pool = await startPool(workers === undefined ? {} : { workers });
  const sums: Sums = {
    tally: emptyTally(),
    requests: 0,
    violations: 0,
    hashes: new Map(),
    visited: new Map(),
    differing: 0,
    replayed: 0,
  };
  // The progress counts the regressions, each scenario, the planned crashes, and the seeds that run
  // twice.
  const progress = progressOf(names.length + 3);
  const regressionJobs = regressions.filter((one) => names.includes(one.scenario));
  const about = `${regressionJobs.length} regression seeds`;
  progress.begin("regressions");
  await playAll(pool, { about, jobs: regressionJobs }, sums);
  for (const name of names) {
    const jobs = jobsOf(name, options);
    progress.begin(name);
    await playAll(pool, { about: `${name}: ${jobs.length} seeds`, jobs }, sums);
  }
  const crashes = missedCrashes(sums);
  progress.begin("crashes at other call sites");
  await playAll(
    pool,
    { about: `${crashes.length} crashes at call sites without a crash so far`, jobs: crashes },
    sums,
  );
  progress.begin("repeated seeds");
  for (const name of names) {
    await playAgain(pool, jobsOf(name, options).slice(0, replays / names.length), sums);
  }
  await pool.stop();
  const lacking = printCoverage(sums.tally);
  const unmet = printOverlaps(sums.tally);
  const requiresCoverage = scenario === undefined && options.seeds >= seedsWithCoverage;
  const missed = requiresCoverage ? [...lacking, ...unmet] : unmet;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(
    `\n${sums.replayed - sums.differing} of ${sums.replayed} repeated seeds gave the same trace; ` +
      `${sums.requests} requests, ${sums.violations} violations, ${seconds} s`,
  );
  for (const one of missed) console.log(`LACKING ${one}`);
  return {
    passed: sums.violations + sums.differing + missed.length === 0,
    requests: sums.requests,
    violations: sums.violations,
    repeated_seeds: sums.replayed,
    differing_seeds: sums.differing,
    lacking: missed,
  };
}

const jobsOf = (scenario: string, { seeds, from, profile }: PlayScenariosOptions): readonly Job[] =>
  Array.from({ length: seeds }, (_, n) => ({
    scenario,
    seed: from + n,
    ...(profile === undefined ? {} : { profile }),
  }));

async function playAll(
  pool: WorkerPool,
  { about, jobs }: { readonly about: string; readonly jobs: readonly Job[] },
  sums: Sums,
): Promise<void> {
  const startedAt = performance.now();
  const before = { requests: sums.requests, violations: sums.violations };
  await pool.play(jobs, (played, job) => {
    addTo(sums.tally, played);
    sums.requests += played.attempts;
    if (job.fault === undefined) sums.hashes.set(nameOf(played), played.hash);
    for (const { site, request } of played.places) {
      const { attempts } = played;
      const shortest = sums.visited.get(site)?.attempts ?? Infinity;
      if (attempts < shortest) sums.visited.set(site, { job, request, attempts });
    }
    if (played.violation === undefined) return;
    sums.violations += 1;
    printViolation(played, faultOption(job));
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(
    `${about}, ${sums.requests - before.requests} requests, ` +
      `${sums.violations - before.violations} violations, ${seconds.toFixed(1)} s`,
  );
}

/**
 * Returns a job for each crash that no seed has had so far: a crash before or after a request of a
 * call site that a seed reached. The job repeats such a seed, and injects only this crash.
 */
const missedCrashes = ({ tally, visited }: Sums): readonly Job[] =>
  [...visited].flatMap(([site, { job, request }]) =>
    (["before", "after"] as const).flatMap((side) =>
      tally.crashes.has(`${site} ${side}`)
        ? []
        : [{ ...job, fault: { request, kind: `crash_${side}` as const } }],
    ),
  );

const faultOption = ({ fault }: Job): string =>
  fault === undefined ? "" : `--fault ${fault.request}:${fault.kind}`;

const nameOf = ({ scenario, seed, profile }: Played): string => `${scenario} ${seed} ${profile}`;

async function playAgain(pool: WorkerPool, jobs: readonly Job[], sums: Sums): Promise<void> {
  await pool.play(jobs, (played) => {
    const before = sums.hashes.get(nameOf(played));
    if (before === undefined) return;
    sums.replayed += 1;
    if (before === played.hash) return;
    sums.differing += 1;
    console.log(`NOT DETERMINISTIC ${nameOf(played)}: its second run gave another trace`);
  });
}
