import { describe, expect, it } from "vitest";
import type { Pipeline, Route } from "../../../shared/pipelines/definition.ts";
import { type PlayedRead, playReads } from "../../support/played-reads.ts";

const day = 24 * 60;
const pipelineOf = (route: Route): Pipeline => ({
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [{ id: "check", scraper: "retailer_d.standard", routes: [route] }],
});

/** Reads, each given as the number of days since the read before it, and its price. */
const priced = (...reads: readonly (readonly [number, number | null])[]): readonly PlayedRead[] =>
  reads.map(([days, price]) => ({ status: "ok", seen: { price }, after: days * day }));

/** Returns the indexes of the reads that the route matches. */
const matched = (route: Route, reads: readonly PlayedRead[], repeats = 1): readonly number[] =>
  playReads(pipelineOf(route), reads, repeats).effects.flatMap(({ isMatched }, n) =>
    isMatched ? [n] : [],
  );

const ok = { when: "ok", notify: true } as const;

describe("a route with a derived field", () => {
  const newLow = { ...ok, field: "price", op: "below", value: { field: "lowest30d" } } as const;

  it("matches once at a price below the lowest price of 30 days, and not at a second read of this price", () => {
    const reads = priced([1, 20], [20, 12], [20, 11], [1, 11], [1, 15], [1, 11], [1, 10.5]);
    expect(matched(newLow, reads)).toEqual([2, 6]);
  });

  it("does not match while the stored prices cover fewer than 30 days", () => {
    expect(matched(newLow, priced([1, 20], [29, 10], [1, 9]))).toEqual([2]);
  });

  it("ignores a low price that ended more than 30 days ago", () => {
    const reads = priced([1, 20], [40, 5], [1, 20], [29, 18], [1, 19], [1, 17]);
    expect(matched(newLow, reads)).toEqual([1, 5]);
  });

  it("matches once even if each outcome is stored twice", () => {
    expect(matched(newLow, priced([1, 20], [31, 12], [1, 12]), 2)).toEqual([1]);
  });

  it("matches if the derived field passes a test with a number", () => {
    const route = { ...ok, field: "lowest30d", op: "below", value: 10 } as const;
    expect(matched(route, priced([1, 20], [31, 9], [1, 20], [1, 20]))).toEqual([2, 3]);
  });

  it("compares with the last price before the item was sold out", () => {
    const route = {
      ...ok,
      field: "price",
      op: "below",
      value: { field: "previousPrice" },
    } as const;
    expect(matched(route, priced([1, 20], [1, null], [1, 15], [1, 15], [1, 18]))).toEqual([2, 3]);
  });

  it("compares with an average that weights each price by the time for which the price was valid", () => {
    const route = { ...ok, field: "average30d", op: "is", value: 15 } as const;
    expect(matched(route, priced([1, 10], [30, 20], [14, 20], [1, 20]))).toEqual([3]);
  });

  it("compares with the number of price changes in the last seven days, including the change of this read", () => {
    const route = { ...ok, field: "changedCount7d", op: "is", value: 2 } as const;
    expect(matched(route, priced([1, 1], [8, 2], [1, null], [1, null], [6, 3]))).toEqual([2, 3, 4]);
  });

  it("reports a change only if the test of the derived field in 'where' passes", () => {
    const route: Route = {
      when: "changed",
      field: "price",
      where: [{ field: "price", op: "below", value: { field: "average30d" } }],
      notify: true,
    };
    const { effects } = playReads(pipelineOf(route), priced([1, 20], [31, 30], [1, 10]));
    expect(effects.map(({ changes }) => changes)).toEqual([
      null,
      null,
      { price: { before: 30, after: 10 } },
    ]);
  });
});
