import { type Profile, profiles } from "./faults.ts";
import { startPool } from "./pool.ts";
import type { Job } from "./worker.ts";

export interface ReplayOptions {
  readonly scenario?: string | undefined;
  readonly seed?: string | undefined;
  readonly profile?: string | undefined;
  /** Numbers of draws with commas between: only these may come to a fault. */
  readonly only?: string | undefined;
}

/** Plays one seed and prints everything that happened; false when something did not hold. */
export async function replay({ scenario, seed, profile, only }: ReplayOptions): Promise<boolean> {
  if (scenario === undefined) throw new Error("--seed needs the --scenario it belongs to");
  const job: Job = {
    scenario,
    seed: Number(seed),
    wantsTrace: true,
    ...(profile === undefined ? {} : { profile: profileNamed(profile) }),
    ...(only === undefined ? {} : { only: only.split(",").map(Number) }),
  };
  const pool = await startPool({ workers: 1 });
  let isSound = true;
  await pool.play([job], ({ trace, hash, fired, violation }) => {
    console.log(trace.join("\n"));
    console.log(`faults: ${fired.map((one) => `${one.draw} ${one.kind}`).join(", ") || "none"}`);
    console.log(`hash: ${hash}`);
    isSound = violation === undefined;
    console.log(isSound ? "everything holds" : `VIOLATION ${violation}`);
  });
  await pool.stop();
  return isSound;
}

export function profileNamed(name: string): Profile {
  const found = profiles.find((one) => one === name);
  if (found === undefined) throw new Error(`There is no profile ${name}: ${profiles.join(", ")}`);
  return found;
}
