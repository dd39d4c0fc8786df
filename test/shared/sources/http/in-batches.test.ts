import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BatchSize, batchSize } from "../../../../shared/sources/http/batch-size.ts";
import { type BatchOutcome, readInBatches } from "../../../../shared/sources/http/in-batches.ts";

const items = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

async function readWith(
  all: readonly number[],
  outcomeOf: (batch: readonly number[]) => BatchOutcome<string>["kind"],
  batchMax: number | BatchSize = 100,
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

describe("readInBatches, which divides a read into calls,", () => {
  it("returns one result for each item, in order, with batches of the allowed size", async () => {
    const { results, calls } = await readWith(items(250), () => "read");
    expect(results).toEqual(items(250).map((item) => `read ${item}`));
    expect(calls).toEqual([100, 100, 50]);
  });

  it.each(["refused", "failed"] as const)(
    'splits a batch with the outcome "%s" into smaller batches, down to batches of one item',
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
    ["too_many", 43],
    ["failed", 15],
  ] as const)(
    'for the outcome "%s" of every batch makes at most %i calls for 100 items',
    async (kind, callsMax) => {
      const { results, calls } = await readWith(items(100), () => kind);
      expect(results).toEqual(items(100).map((item) => `unread ${item}`));
      expect(calls.length).toBeLessThanOrEqual(callsMax);
    },
  );

  it("isolates up to ten refused items of a hundred in smaller batches, and returns the other items", async () => {
    const badOnes = fc.uniqueArray(fc.nat(99), { minLength: 1, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(badOnes, async (bad) => {
        const { results, calls } = await readWith(items(100), (batch) =>
          bad.some((item) => batch.includes(item)) ? "refused" : "read",
        );
        const lost = results.filter((result) => result.startsWith("unread"));
        expect(lost).toHaveLength(bad.length);
        expect(calls.length).toBeLessThanOrEqual(100);
      }),
    );
  });

  it("splits only one of several batches if the source refuses every batch", async () => {
    const { results, calls } = await readWith(items(200), () => "refused", 20);
    expect(results).toEqual(items(200).map((item) => `unread ${item}`));
    expect(calls.length).toBeLessThanOrEqual(31 + 9);
  });

  it("splits every refused batch, even concurrent ones, if the source accepts other batches", async () => {
    const isBad = (item: number): boolean => item % 20 === 0;
    const { results } = await readWith(
      items(200),
      (batch) => (batch.some(isBad) ? "refused" : "read"),
      20,
    );
    expect(results).toEqual(items(200).map((item) => `${isBad(item) ? "unread" : "read"} ${item}`));
  });

  it("stops splitting after ten refused items, and requests each remaining batch only once", async () => {
    const bad = new Set([...items(10), 60]);
    const { results } = await readWith(items(100), (batch) =>
      batch.some((item) => bad.has(item)) ? "refused" : "read",
    );
    const lost = results.flatMap((result, item) => (result.startsWith("unread") ? [item] : []));
    expect(lost).toEqual([...items(10), ...items(50).map((item) => 50 + item)]);
  });

  it("reduces the batch size to the maximum of the source, loses no item, and keeps that size", async () => {
    const takes = (batch: readonly number[]) => (batch.length > 3 ? "too_many" : "read");
    const size = batchSize(100);
    const first = await readWith(items(100), takes, size);
    expect(first.results).toEqual(items(100).map((item) => `read ${item}`));
    expect(first.calls.filter((count) => count > 3).length).toBeLessThanOrEqual(6);
    const second = await readWith(items(100), takes, size);
    expect(second.results).toEqual(first.results);
    expect(Math.max(...second.calls)).toBeLessThanOrEqual(3);
    expect(second.calls).toHaveLength(50);
  });

  it("keeps the configured batch size if the source refuses even a single item as too many", async () => {
    const size = batchSize(100);
    await readWith([7], () => "too_many", size);
    expect(size.max()).toBe(100);
  });

  it("does not split a batch after an outcome that smaller batches would also have", async () => {
    const { calls } = await readWith(items(100), () => "none");
    expect(calls).toEqual([100]);
  });
});
