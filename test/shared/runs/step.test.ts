import { expect, it } from "vitest";
import { areAllBatchesDone, type StepRecord } from "../../../shared/runs/step.ts";

const step: StepRecord = {
  runId: "run_1",
  step: "check",
  position: 0,
  scraper: "retailer_d.standard",
  plan: "p1",
  batches: 2,
  items: 3,
  starts: null,
  decision: "read",
  shortfall: null,
  isSent: true,
  done: new Set([1]),
  stats: null,
};

it("all batches of a step are done after the outcomes of its last open batch are stored", () => {
  expect(areAllBatchesDone(step)).toBe(false);
  expect(areAllBatchesDone({ ...step, done: new Set([0, 1]) })).toBe(true);
});
