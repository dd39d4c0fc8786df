import type { World } from "./world.ts";

/** A workload under the faults of a seed, and the invariants to check. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** Runs the workload, stops the faults, waits until no work is left, and checks. @throws a violation */
  readonly play: (world: World) => Promise<void>;
}
