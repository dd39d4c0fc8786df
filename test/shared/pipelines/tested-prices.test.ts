import { describe, expect, it } from "vitest";
import type { Pipeline, Route } from "../../../shared/pipelines/definition.ts";
import {
  derivedPricesAt,
  priceRead,
  priceStatesAfter,
  testedPrices,
} from "../../../shared/pipelines/tested-prices.ts";

const pipelineWith = (...routes: readonly Route[]): Pipeline => ({
  entry: "read",
  baseline: null,
  refresh: null,
  steps: [{ id: "read", scraper: "retailer_a.lite", routes }],
});

const notify = { when: "ok", notify: true } as const;
const at = "2026-11-01T12:00:00.000Z";
const day = Math.floor(Date.parse(at) / 86_400_000);

describe("the derived prices that a pipeline tests", () => {
  it("are the derived prices that its routes test or compare with, including in 'where'", () => {
    const pipeline = pipelineWith(
      { ...notify, field: "previousPrice", op: "above", value: 5 },
      { ...notify, field: "price", op: "below", value: { field: "lowest30d" } },
      { ...notify, where: [{ field: "changedCount7d", op: "above", value: 3 }] },
      { ...notify, where: [{ field: "price", op: "below", value: { field: "average30d" } }] },
    );
    expect([...testedPrices(pipeline)].sort()).toEqual([
      "average30d",
      "changedCount7d",
      "lowest30d",
      "previousPrice",
    ]);
  });

  it("are none if no route uses a derived price, and are calculated once per pipeline", () => {
    const pipeline = pipelineWith({ ...notify, field: "price", op: "below", value: 5 });
    expect(testedPrices(pipeline)).toEqual([]);
    expect(testedPrices(pipeline)).toBe(testedPrices(pipeline));
  });
});

describe("the price of a read", () => {
  it("is undefined if the reading has no price", () => {
    expect(priceRead({ price: 10 }, { rating: 4 }, at)).toBeUndefined();
  });

  it("is stored without an earlier price if the read is the first one with a price", () => {
    const first = { was: undefined, is: 10, at: Date.parse(at) };
    expect(priceRead(undefined, { price: 10 }, at)).toEqual(first);
    expect(priceRead({ rating: 4 }, { price: 10 }, at)).toEqual(first);
  });

  it.each([
    [10.005, 10],
    [10.01, 10.01],
    [null, null],
  ])("with the value %s after a price of 10 is stored as the value %s", (seen, is) => {
    expect(priceRead({ price: 10 }, { price: seen }, at)).toMatchObject({ was: 10, is });
  });
});

describe("a derived price of an item", () => {
  const pipeline = pipelineWith({ ...notify, field: "previousPrice", op: "above", value: 5 });
  const first = { was: undefined, is: 10, at: Date.parse(at) };
  const drop = { was: 10, is: 8, at: Date.parse(at) };
  const started = { previousPrice: { prices: { since: day } } };

  it("has a stored trace as soon as a read has a price", () => {
    expect(priceStatesAfter(pipeline, {}, first)).toEqual(started);
    expect(priceStatesAfter(pipeline, {}, undefined)).toEqual({});
    // The route was added after the first read, so the earlier prices are not known.
    expect(priceStatesAfter(pipeline, {}, drop)).toEqual({});
  });

  it("keeps its stored trace at a read without a price, and changes the trace at a read with another price", () => {
    expect(priceStatesAfter(pipeline, started, undefined)).toEqual(started);
    expect(priceStatesAfter(pipeline, started, drop)).toEqual({
      previousPrice: { prices: { since: day, previous: 10 } },
    });
  });

  it("has a value only if the read has a price and the trace contains an earlier price", () => {
    expect(derivedPricesAt(pipeline, started, drop)).toEqual({ previousPrice: 10 });
    expect(derivedPricesAt(pipeline, started, undefined)).toEqual({});
    expect(derivedPricesAt(pipeline, {}, drop)).toEqual({});
    expect(derivedPricesAt(pipeline, started, { ...drop, is: 10 })).toEqual({});
  });
});
