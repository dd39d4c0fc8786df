import { planFrom, playPair } from "../ledger-pairs.ts";
import type { Scenario } from "../scenario.ts";

const pairsOfSeed = 20;

/**
 * Runs random pairs of ledger steps, so that seeds can detect mutants. `--exhaustive` runs all
 * pairs.
 */
export const ledgerPairs: Scenario = {
  name: "ledger pairs",
  about: "overlapping steps of the ledger",
  async play(world) {
    for (let n = 1; n <= pairsOfSeed; n += 1) {
      const plan = planFrom(world.random);
      try {
        await playPair(world, plan, `pair ${n} of seed ${world.seed}`);
      } catch (cause) {
        const text = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`${text.split("\n")[0]} in ${JSON.stringify(plan)}`, { cause });
      }
    }
  },
};
