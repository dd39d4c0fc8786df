import type { World } from "./world.ts";

/** What users do under the faults of a seed, and what has to hold of it. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** Plays it to the end, until all is quiet without faults; throws for whatever does not hold. */
  readonly play: (world: World) => Promise<void>;
}
