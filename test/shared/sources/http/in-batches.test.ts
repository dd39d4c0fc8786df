import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BatchOutcome, readInBatches } from "../../../../shared/sources/http/in-batches.ts";

const items = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

async function readWith(
  all: readonly number[],
  outcomeOf: (batch: readonly number[]) => BatchOutcome<string>["kind"],
  batchMax = 100,
): Promise<{ results: string[]; calls: number[] }> {
  const calls: number[] = [];
  const results = await readInBatches(all, {
    batchMax,
    atOnce: 2,
    unread: (item) => `unread ${item}`,
    read(batch) {
      calls.push(batch.length);
      const kind = outcomeOf(batch);
      const outcome =
        kind === "read" ? { kind, results: batch.map((item) => `read ${item}`) } : { kind };
      return Promise.resolve(outcome);
    },
  });
  return { results, calls };
}

describe("reading in batches", () => {
  it("answers each item once, in order, in batches of the size allowed", async () => {
    const { results, calls } = await readWith(items(250), () => "read");
    expect(results).toEqual(items(250).map((item) => `read ${item}`));
    expect(calls).toEqual([100, 100, 50]);
  });

  it.each(["refused", "failed"] as const)(
    "cuts a batch that is %s down to one item",
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 300 }), fc.nat(), async (count, place) => {
          const bad = place % count;
          const { results, calls } = await readWith(items(count), (batch) =>
            batch.includes(bad) ? kind : "read",
          );
          const expected = items(count).map(
            (item) => `${item === bad ? "unread" : "read"} ${item}`,
          );
          expect(results).toEqual(expected);
          expect(calls.length).toBeLessThanOrEqual(Math.ceil(count / 100) + 14);
        }),
      );
    },
  );

  it.each([
    ["refused", 43],
    ["failed", 15],
  ] as const)("does not storm a source by whom everything is %s", async (kind, callsMax) => {
    const { results, calls } = await readWith(items(100), () => kind);
    expect(results).toEqual(items(100).map((item) => `unread ${item}`));
    expect(calls.length).toBeLessThanOrEqual(callsMax);
  });

  it("does not cut what would not get better", async () => {
    const { calls } = await readWith(items(100), () => "none");
    expect(calls).toEqual([100]);
  });
});
