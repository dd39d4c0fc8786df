import { profileNamed } from "./replay.ts";
import type { Played } from "./play.ts";
import { startPool } from "./pool.ts";
import { scenarios } from "./scenarios.ts";
import type { Job } from "./worker.ts";

export interface PlayScenariosOptions {
  readonly seeds: string;
  readonly from: string;
  readonly scenario?: string | undefined;
  readonly profile?: string | undefined;
  readonly workers?: string | undefined;
}

/** Plays seeds of every scenario, or of one; false when something did not hold. */
export async function playScenarios(options: PlayScenariosOptions): Promise<boolean> {
  const names = options.scenario === undefined ? scenarios.map(({ name }) => name) : [options.scenario];
  const pool = await startPool(
    options.workers === undefined ? {} : { workers: Number(options.workers) },
  );
  const failures: Played[] = [];
  for (const scenario of names) {
    const startedAt = performance.now();
    const from = Number(options.from);
    const jobs: Job[] = Array.from({ length: Number(options.seeds) }, (_, n) => ({
      scenario,
      seed: from + n,
      ...(options.profile === undefined ? {} : { profile: profileNamed(options.profile) }),
    }));
    let attempts = 0;
    await pool.play(jobs, (played) => {
      attempts += played.attempts;
      if (played.violation === undefined) return;
      failures.push(played);
      console.log(`seed ${played.seed} of ${scenario}: ${played.violation}\n${played.trace.slice(-25).join("\n")}`);
    });
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    console.log(`${scenario}: ${jobs.length} seeds, ${attempts} requests, ${seconds} s`);
  }
  await pool.stop();
  return failures.length === 0;
}
