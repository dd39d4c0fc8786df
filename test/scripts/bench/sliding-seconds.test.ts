import { expect, it } from "vitest";
import { slidingSeconds } from "../../../scripts/bench/key/sliding-seconds.ts";

it("slidingSeconds returns the smallest and the largest number of timestamps within any second", () => {
  const times = [0, 100, 999, 1_000, 2_500];
  expect(slidingSeconds(times, { from: 0, until: 3_000 })).toEqual({ least: 0, most: 3 });
  expect(slidingSeconds(times, { from: 0, until: 1_500 })).toEqual({ least: 2, most: 3 });
});
