import { planFrom, playPair } from "../ledger-pairs.ts";
import type { Scenario } from "../scenario.ts";

const pairsOfSeed = 20;

/** Any of the pairs of which `--exhaustive` plays all: mutants are found here. */
export const ledgerPairs: Scenario = {
  name: "ledger pairs",
  about: "steps of the ledger that fall into each other",
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
