import { flows } from "./scenarios/flows.ts";
import { startPool, type WorkerPool } from "./pool.ts";
import { printViolation, type SimResult } from "./report.ts";
import type { Place, SingleFault } from "./single-fault.ts";
import type { Job } from "./worker.ts";
import { progressOf } from "../../tools/command-line/progress.ts";

/**
 * Runs each flow (a short scenario) many times, each time with one fault at one call site. Prints
 * each violation. `passed` is false if there was a violation.
 */
export async function exhaust({ workers }: { readonly workers?: number } = {}): Promise<SimResult> {
  const startedAt = performance.now();
  const pool = await startPool(workers === undefined ? {} : { workers });
  let points = 0;
  let violations = 0;
  const progress = progressOf(flows.length);
  for (const { name } of flows) {
    progress.begin(name);
    const calm: Job = { scenario: name, seed: 1, calm: true };
    const { places, isSound } = await placesOf(pool, calm);
    const faults = singleFaults(places);
    const jobs = faults.map((fault): Job => ({ ...calm, fault }));
    let failed = isSound ? 0 : 1;
    await pool.play(jobs, (played, { fault }) => {
      if (played.violation === undefined) return;
      failed += 1;
      printViolation(played, `--calm --fault ${fault?.request}:${fault?.kind}`);
    });
    points += faults.length;
    violations += failed;
    console.log(
      `${name}: ${places.length} call sites, ${faults.length} single faults, ${failed} violations`,
    );
  }
  await pool.stop();
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(
    `${points} single faults in ${flows.length} flows, ${violations} violations, ${seconds} s`,
  );
  const passed = violations === 0 && points > 0;
  return { passed, flows: flows.length, single_faults: points, violations };
}

const singleFaults = (places: readonly Place[]): readonly SingleFault[] =>
  places.flatMap(({ request, kinds }) => kinds.map((kind): SingleFault => ({ request, kind })));

/**
 * Runs a flow and injects no faults. Returns the call sites at which a fault can be injected.
 * `isSound` is false if there was a violation.
 */
async function placesOf(
  pool: WorkerPool,
  calm: Job,
): Promise<{ readonly places: readonly Place[]; readonly isSound: boolean }> {
  let places: readonly Place[] = [];
  let isSound = true;
  await pool.play([calm], (played) => {
    isSound = played.violation === undefined;
    if (!isSound) printViolation(played, "--calm");
    places = played.places;
  });
  return { places, isSound };
}
