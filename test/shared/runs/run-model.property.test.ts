import fc from "fast-check";
import { expect, it } from "vitest";
import { parsePipeline } from "../../../shared/pipelines/parse.ts";
import { presentPipeline } from "../../../shared/pipelines/default.ts";
import { playEngine, playModel } from "../../run-model/play.ts";
import { anyScenario } from "../../support/run-scenarios.ts";
import { openTables } from "../../support/tables.ts";

/**
 * MODEL_RUNS=1000 plays 1,000 random scenarios instead of four. MODEL_SEED=<seed of a failure>
 * plays the scenarios of the failed test again. MODEL_SHRINK=1 then searches for the smallest
 * scenario that fails, which takes minutes.
 */
const { MODEL_RUNS: runs, MODEL_SEED: seed, MODEL_SHRINK: shrink } = process.env;

const tables = openTables();

it("a run has the result that the reference model predicts, for any pipeline, source answers and balance", async () => {
  await fc.assert(
    fc.asyncProperty(anyScenario(), async (scenario) => {
      const { platform, pipelines } = scenario;
      const shop = { platform, marketplace: "us" };
      for (const one of pipelines) {
        expect(parsePipeline(presentPipeline(one), shop)).toEqual(one);
      }

      expect(await playEngine(scenario, tables)).toEqual(playModel(scenario));
    }),
    {
      numRuns: Number(runs ?? 4),
      ...(seed !== undefined && { seed: Number(seed) }),
      endOnFailure: shrink === undefined,
    },
  );
}, 3_600_000);
