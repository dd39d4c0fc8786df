import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { webFigures } from "../../../scripts/bench/web.ts";

const folder = fileURLToPath(new URL("../../../../shared/data/pages", import.meta.url));

describe.skipIf(!existsSync(folder))("real pages, where the recorded ones are at hand", () => {
  it("are read as well and as fast as promised", () => {
    const { pages, accuracy, cpuMsMean } = webFigures(folder);
    const [price, availability] = accuracy;
    expect(pages).toBeGreaterThan(0);
    expect(price?.f1).toBeGreaterThanOrEqual(0.76);
    expect(price?.precision).toBeGreaterThanOrEqual(0.9);
    expect(availability?.precision).toBeGreaterThanOrEqual(0.94);
    // Twice the aim of the bench: other tests run beside this one.
    expect(cpuMsMean).toBeLessThan(12);
  });
});
