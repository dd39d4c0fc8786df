import { afterAll, beforeAll, it } from "vitest";
import { type Engine, startEngine } from "../engine.ts";
import { playSequences } from "./play-model.ts";

/**
 * Runs two short sequences by default. API_MODEL_RUNS=500 runs 500 sequences of up to 60 commands.
 * API_MODEL_SEED and API_MODEL_PATH replay a failure. API_MODEL_SHRINK=1 searches for the smallest
 * failing sequence, which takes minutes.
 */
const { API_MODEL_RUNS: runs, API_MODEL_SEED: seed, API_MODEL_PATH: path } = process.env;

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

it("any sequence of API calls gives the responses, charges and events of the specification's model", async () => {
  await playSequences(engine, {
    runs: Number(runs ?? 2),
    ...(runs === undefined && { commands: 15 }),
    ...(seed !== undefined && { seed: Number(seed) }),
    ...(path !== undefined && { path }),
    isShrunk: process.env["API_MODEL_SHRINK"] !== undefined,
  });
}, 3_600_000);
