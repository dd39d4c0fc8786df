import type { Profile } from "./faults.ts";
import type { Played } from "./play.ts";
import { startPool } from "./pool.ts";
import type { SimResult } from "./report.ts";
import { fewestFaults } from "./shrink.ts";
import type { SingleFault } from "./single-fault.ts";
import type { Job } from "./worker.ts";

export interface ReplayOptions {
  readonly scenario: string;
  readonly seed: number;
  readonly profile?: Profile | undefined;
  /**
   * The numbers of the random draws that may inject a fault. All other draws inject none.
   * @default all draws
   */
  readonly only?: readonly number[] | undefined;
  readonly calm?: boolean | undefined;
  readonly fault?: SingleFault | undefined;
  /** True to search for the fewest faults under which the seed still fails. */
  readonly shrink?: boolean | undefined;
}

/**
 * Runs one seed and prints its whole trace. With `shrink`, first searches for the fewest faults
 * under which the seed fails, and then runs it with only these faults. `passed` is false if the
 * seed fails.
 */
export async function replay({ shrink = false, ...options }: ReplayOptions): Promise<SimResult> {
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  );
  const job = { ...given, wantsTrace: true } as unknown as Job;
  const pool = await startPool({ workers: 1 });
  let played = await playOne(job);
  if (shrink && played.violation !== undefined) {
    const only = await fewestFaults(
      pool,
      job,
      played.fired.map(({ draw }) => draw),
    );
    played = await playOne({ ...job, only });
    console.log(`fails with ${only.length} faults: --only=${only.join(",")}`);
  }
  await pool.stop();
  const { trace, hash, fired, violation } = played;
  console.log(trace.join("\n"));
  console.log(`faults: ${fired.map(({ draw, kind }) => `${draw} ${kind}`).join(", ") || "none"}`);
  console.log(`hash: ${hash}`);
  console.log(violation === undefined ? "no violation" : `VIOLATION ${violation}`);
  return { passed: violation === undefined, hash, faults: fired, violation };

  async function playOne(wanted: Job): Promise<Played> {
    const all: Played[] = [];
    await pool.play([wanted], (one) => void all.push(one));
    const [one] = all;
    if (one === undefined)
      throw new Error(
        "The simulation worker returned no result for the seed. Its output shows why.",
      );
    return one;
  }
}
