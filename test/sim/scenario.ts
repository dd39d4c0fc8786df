import type { World } from "./world.ts";

/** A workload that runs under the faults of a seed, with the invariants that it checks. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  /**
   * True if processes of several releases run at the same time. The releases store different
   * versions of some rows.
   */
  readonly mixesReleases?: boolean;
  /**
   * Runs the workload, stops the faults, waits until no work is left, and checks the invariants.
   * @throws the first violation
   */
  readonly play: (world: World) => Promise<void>;
}
