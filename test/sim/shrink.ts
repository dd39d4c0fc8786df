import type { WorkerPool } from "./pool.ts";
import type { Job } from "./worker.ts";

/** The largest number of runs of a seed during the search. */
const playsMax = 200;

/**
 * Searches for a small set of faults under which a seed still fails. Returns the numbers of the
 * random draws that inject these faults. Leaves out halves of the faults, then smaller groups, and
 * finally single faults, as long as the seed still fails. Stops after 200 runs.
 * @param draws the numbers of the random draws that injected a fault when the seed failed
 */
export async function fewestFaults(
  pool: WorkerPool,
  job: Job,
  draws: readonly number[],
): Promise<readonly number[]> {
  let kept = [...draws];
  let plays = 0;
  const fails = async (only: readonly number[]): Promise<boolean> => {
    plays += 1;
    let failed = false;
    await pool.play([{ ...job, only }], ({ violation }) => {
      failed = violation !== undefined;
    });
    return failed;
  };
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = Math.floor(size / 2)) {
    let start = 0;
    while (start < kept.length) {
      if (plays >= playsMax) return kept;
      const fewer = [...kept.slice(0, start), ...kept.slice(start + size)];
      if (await fails(fewer)) kept = fewer;
      else start += size;
    }
  }
  return kept;
}
