import { describe, expect, it } from "vitest";
import { scoreOf } from "../../../shared/sources/web/visible/forest.ts";
import { growTrees, type Sample } from "../../../tools/labeled-pages/grow-forest.ts";

/**
 * The price has a high first feature and a low second feature. The third feature has no relation to
 * prices.
 */
const samples: readonly Sample[] = Array.from({ length: 200 }, (_, index) => {
  const features = [index % 20, (index * 7) % 11, (index * 3) % 5];
  return { features, isPrice: (features[0] ?? 0) > 12 && (features[1] ?? 0) < 6, weight: 1 };
});
const options = { seed: 1, trees: 25, depthMax: 6, leafMin: 2 };
const forestOf = (seed: number): ReturnType<typeof growTrees> =>
  growTrees(samples, { ...options, seed });

describe("a random forest from labeled samples", () => {
  const forest = { features: [], threshold: 0, margin: 0, trees: forestOf(1) };

  it("assigns each of its training samples to the labeled class of the sample", () => {
    const wrong = samples.filter(
      ({ features, isPrice }) => scoreOf(forest, features) > 0.5 !== isPrice,
    );
    expect(wrong.length).toBeLessThan(samples.length / 20);
  });

  it("is identical for the same samples and seed, and differs for another seed", () => {
    expect(forestOf(1)).toEqual(forestOf(1));
    expect(forestOf(2)).not.toEqual(forestOf(1));
  });

  it("has trees of at most the given depth", () => {
    for (const tree of forest.trees) expect(tree.length / 4).toBeLessThan(2 ** 7);
  });
});
