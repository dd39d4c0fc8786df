import { describe, expect, it } from "vitest";
import type { Pipeline, Route } from "../../../shared/pipelines/definition.ts";
import type { Snapshot } from "../../../shared/scrapers/catalog.ts";
import { type PlayedRead, playReads } from "../../support/played-reads.ts";

const scraper = "retailer_d.standard";

const pipelineOf = (...routes: readonly Route[]): Pipeline => ({
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [
    { id: "check", scraper, routes },
    { id: "next", scraper, routes: [] },
  ],
});

/** Returns a successful read, 15 minutes after the read before it. */
const found = (seen: Snapshot): PlayedRead => ({ status: "ok", seen, after: 15 });
const priced = (...prices: readonly (number | null)[]): readonly PlayedRead[] =>
  prices.map((price) => found({ price }));
const failed: PlayedRead = { status: "unavailable", seen: {}, after: 15 };

/**
 * Returns, for each read, the price change that the route notifies, as `before > after`; "-" for a
 * read without such a change.
 */
function notified(route: Omit<Route, "when">, reads: readonly PlayedRead[]): readonly string[] {
  const pipeline = pipelineOf({ when: "changed", field: "price", notify: true, ...route });
  return playReads(pipeline, reads).effects.map(({ changes }) => {
    const price = (changes as { price?: { before: unknown; after: unknown } } | null)?.price;
    return price === undefined ? "-" : `${String(price.before)} > ${String(price.after)}`;
  });
}

/** Returns the indexes of the reads that the route matches. Its `when` must not be `changed`. */
const matched = (route: Route, reads: readonly PlayedRead[]): readonly number[] =>
  playReads(pipelineOf(route), reads).effects.flatMap(({ isMatched }, n) => (isMatched ? [n] : []));

describe("a route with 'min_delta'", () => {
  it("reports small changes in the same direction when their sum reaches 'min_delta'", () => {
    expect(notified({ min_delta: 5 }, priced(100, 98, 97, 95, 94, 99, 100))).toEqual([
      "-",
      "-",
      "-",
      "100 > 95",
      "-",
      "-",
      "95 > 100",
    ]);
  });

  it("reports a difference of exactly the minimum, even if binary fractions cannot represent the numbers", () => {
    expect(notified({ min_delta: 0.1 }, priced(0.3, 0.2, 0.1))).toEqual([
      "-",
      "0.3 > 0.2",
      "0.2 > 0.1",
    ]);
  });

  it("does not match a null value, and compares the next number with the value before the null value", () => {
    expect(notified({ min_delta: 5 }, priced(100, null, 98, null, 60))).toEqual([
      "-",
      "-",
      "-",
      "-",
      "100 > 60",
    ]);
  });

  it("takes the first number as its reference value if the first value is null", () => {
    expect(notified({ min_delta: 5 }, priced(null, 100, 96, 95))).toEqual([
      "-",
      "-",
      "-",
      "100 > 95",
    ]);
  });

  it("compares a decrease with the highest value since the last notification", () => {
    const route = { op: "decreased", min_delta: 5 } as const;
    expect(notified(route, priced(100, 120, 116, 115, 130, 111))).toEqual([
      "-",
      "-",
      "-",
      "120 > 115",
      "-",
      "130 > 111",
    ]);
  });

  it("compares an increase with the lowest value since the last notification", () => {
    const route = { op: "increased", min_delta: 5 } as const;
    expect(notified(route, priced(100, 80, 84, 85))).toEqual(["-", "-", "-", "80 > 85"]);
  });
});

describe("a route with 'min_delta_percent'", () => {
  it("reports a change of at least this percentage of the last notified value", () => {
    expect(notified({ min_delta_percent: 10 }, priced(100, 91, 90, 82, 81))).toEqual([
      "-",
      "-",
      "100 > 90",
      "-",
      "90 > 81",
    ]);
  });

  it("reports only changes that also reach 'min_delta' if the route has both limits", () => {
    const both = { min_delta: 5, min_delta_percent: 1 };
    expect(notified(both, priced(100, 96, 95))).toEqual(["-", "-", "100 > 95"]);
  });

  it("reports every change from a value of 0", () => {
    expect(notified({ min_delta_percent: 50 }, priced(0, 1))).toEqual(["-", "0 > 1"]);
  });
});

describe('a route with the op "increased" or "decreased"', () => {
  it("compares with the last value other than null", () => {
    const reads = priced(100, null, 60, null, null, 60, 61);
    expect(notified({ op: "decreased" }, reads)).toEqual([
      "-",
      "-",
      "100 > 60",
      "-",
      "-",
      "-",
      "-",
    ]);
    expect(notified({ op: "increased" }, reads)).toEqual(["-", "-", "-", "-", "-", "-", "60 > 61"]);
  });

  it("stores the last number in its state only while the field is null", () => {
    const pipeline = pipelineOf({ when: "changed", field: "price", op: "decreased", notify: true });
    const statesAfter = (...prices: readonly (number | null)[]) =>
      Object.values(playReads(pipeline, priced(...prices)).item.routeStates ?? {});
    expect(statesAfter(100, null)).toEqual([{ from: { price: 100 } }]);
    expect(statesAfter(100, null, 60)).toEqual([]);
  });
});

describe("a route with 'cooldown'", () => {
  it("reports a change that occurs during the cooldown at the first read after the cooldown", () => {
    expect(notified({ cooldown: "30m" }, priced(100, 90, 80, 80, 80))).toEqual([
      "-",
      "100 > 90",
      "-",
      "90 > 80",
      "-",
    ]);
  });

  it("does not report a value that returned to the old value during the cooldown", () => {
    expect(notified({ cooldown: "30m" }, priced(100, 90, 80, 90, 90))).toEqual([
      "-",
      "100 > 90",
      "-",
      "-",
      "-",
    ]);
  });

  it("still routes an item to the next step during the cooldown", () => {
    const route: Route = {
      when: "changed",
      field: "price",
      cooldown: "1h",
      run: "next",
      notify: true,
    };
    const { effects } = playReads(pipelineOf(route), priced(100, 90, 80, 80));
    expect(effects.map(({ isRouted }) => isRouted)).toEqual([false, true, true, false]);
    expect(effects.map(({ changes }) => changes !== null)).toEqual([false, true, false, false]);
  });

  it("delays its matches during the cooldown even if its 'when' is not \"changed\"", () => {
    const low: Route = {
      when: "ok",
      field: "price",
      op: "below",
      value: 50,
      cooldown: "30m",
      notify: true,
    };
    expect(matched(low, priced(40, 40, 40, 60, 40))).toEqual([0, 2, 4]);
    expect(
      matched({ when: "failed", cooldown: "30m", notify: true }, [failed, failed, failed]),
    ).toEqual([0, 2]);
  });

  it("removes its state from the item at the first change after the cooldown", () => {
    const pipeline = pipelineOf({ when: "changed", field: "price", cooldown: "15m", notify: true });
    const { item } = playReads(pipeline, [...priced(100, 90), found({ price: 90, inStock: true })]);
    expect(item).not.toHaveProperty("routeStates");
  });
});

describe("a route with 'confirm'", () => {
  it("ignores a value that only one read shows", () => {
    expect(notified({ confirm: 2 }, priced(100, 1, 100, 100, 90, 90))).toEqual([
      "-",
      "-",
      "-",
      "-",
      "-",
      "100 > 90",
    ]);
  });

  it("counts different values on the same side of the reference value as confirmations", () => {
    expect(notified({ confirm: 3 }, priced(100, 90, 80, 85))).toEqual(["-", "-", "-", "100 > 85"]);
  });

  it("restarts its count when the value passes to the other side of the reference value", () => {
    expect(notified({ confirm: 2 }, priced(100, 90, 110, 90, 90))).toEqual([
      "-",
      "-",
      "-",
      "-",
      "100 > 90",
    ]);
  });

  it("counts reads of a text field as confirmations only if the text stays the same", () => {
    const route: Route = { when: "changed", field: "state", confirm: 2, notify: true };
    const { effects } = playReads(
      pipelineOf(route),
      ["a", "b", "c", "c"].map((state) => found({ state })),
    );
    expect(effects.map(({ changes }) => changes)).toEqual([
      null,
      null,
      null,
      { state: { before: "a", after: "c" } },
    ]);
  });

  it("does not take a high value of only one read as the reference value of a decrease", () => {
    const route = { op: "decreased", confirm: 2 } as const;
    expect(notified(route, priced(100, 900, 100, 100, 100))).toEqual(["-", "-", "-", "-", "-"]);
  });

  it("with the value n matches, if its 'when' is not \"changed\", from the nth matching read in a row on", () => {
    const low: Route = {
      when: "ok",
      field: "price",
      op: "below",
      value: 50,
      confirm: 2,
      notify: true,
    };
    expect(matched(low, priced(40, 60, 40, 40, 40))).toEqual([3, 4]);
  });

  it("ignores failed reads and reads without the field", () => {
    const low: Route = {
      when: "ok",
      field: "price",
      op: "below",
      value: 50,
      confirm: 2,
      notify: true,
    };
    expect(matched(low, [...priced(40), failed, found({ inStock: true }), ...priced(40)])).toEqual([
      3,
    ]);
    expect(
      matched({ when: "failed", confirm: 2, notify: true }, [failed, ...priced(1), failed, failed]),
    ).toEqual([3]);
  });
});

describe("a route with 'once'", () => {
  const low: Route = {
    when: "ok",
    field: "price",
    op: "below",
    value: 95,
    once: true,
    notify: true,
  };

  it("matches when the condition becomes true, and again only after the condition was false", () => {
    expect(matched(low, priced(100, 94, 90, 96, 94, 94))).toEqual([1, 4]);
  });

  it("does not match again after failed reads and reads without the field", () => {
    expect(matched(low, [...priced(94), failed, found({}), ...priced(94)])).toEqual([0]);
  });

  it("matches after the cooldown if its condition became true during the cooldown and is still true then", () => {
    expect(matched({ ...low, cooldown: "1h" }, priced(94, 96, 94, 94, 94, 94))).toEqual([0, 4]);
    expect(matched({ ...low, cooldown: "1h" }, priced(94, 96, 94, 96, 96, 96))).toEqual([0]);
  });

  it("matches at the nth matching read in a row if the route also has 'confirm' with the value n", () => {
    expect(matched({ ...low, confirm: 2 }, priced(94, 94, 94, 96, 94, 94))).toEqual([1, 5]);
  });
});

describe("a route with 'where'", () => {
  const inStock = { field: "inStock", op: "is", value: true } as const;
  const states = (...seen: readonly (readonly [number, boolean | undefined])[]) =>
    seen.map(([price, stock]) => found({ price, ...(stock !== undefined && { inStock: stock }) }));

  it("matches only if all tests pass and no tested field is missing", () => {
    const where = [inStock, { field: "price", op: "below", value: 100 } as const];
    expect(
      notified(
        { where },
        states([90, true], [80, false], [70, undefined], [60, true], [100, true]),
      ),
    ).toEqual(["-", "-", "-", "70 > 60", "-"]);
  });

  it("reports the difference from the reference value at the first read at which its tests pass", () => {
    const route = { op: "decreased", min_delta_percent: 5, where: [inStock] } as const;
    expect(notified(route, states([100, true], [90, false], [90, false], [90, true]))).toEqual([
      "-",
      "-",
      "-",
      "100 > 90",
    ]);
  });

  it('applies these tests even if its \'when\' is "new", "always" or "unchanged"', () => {
    const where = [inStock];
    const reads = states([1, true], [1, false], [1, true]);
    expect(matched({ when: "new", where, notify: true }, reads)).toEqual([0]);
    expect(matched({ when: "new", where, notify: true }, reads.slice(1))).toEqual([]);
    expect(matched({ when: "always", where, notify: true }, reads)).toEqual([0, 2]);
    expect(
      matched({ when: "unchanged", where, notify: true }, [...reads, ...reads.slice(2)]),
    ).toEqual([3]);
  });
});

describe("the state of a route", () => {
  const drop: Route = { when: "changed", field: "price", min_delta: 5, notify: true };
  const reads = priced(100, 97);

  it("is kept when another route is added before the route in the pipeline", () => {
    const pipeline = pipelineOf({ when: "new", notify: true }, drop);
    const last = { ...found({ price: 95 }), pipeline };
    const { effects } = playReads(pipelineOf(drop), [...reads, last]);
    expect(effects.at(-1)?.changes).toEqual({ price: { before: 100, after: 95 } });
  });

  it("is removed at the item's first read after the route is removed from the pipeline", () => {
    const pipeline = pipelineOf({ ...drop, min_delta: 6 });
    const { item } = playReads(pipelineOf(drop), reads);
    expect(Object.keys(item.routeStates ?? {})).toHaveLength(1);
    const other = playReads(pipelineOf(drop), [...reads, { ...failed, pipeline }]);
    expect(other.item).not.toHaveProperty("routeStates");
  });

  it("keeps the reference value if another step with the same kind of read has read the item", () => {
    const pipeline = pipelineOf(drop);
    const quiet = { ...found({ price: 95 }), step: "next" };
    const { effects } = playReads(pipeline, [...reads, quiet, ...priced(95)]);
    expect(effects.map(({ changes }) => changes)).toEqual([
      null,
      null,
      null,
      { price: { before: 100, after: 95 } },
    ]);
  });

  it("is not stored for items whose routes have nothing to store", () => {
    const all: Route = { ...drop, confirm: 2, cooldown: "30m" };
    const { item } = playReads(pipelineOf(all), priced(100, 100, 100));
    expect(item).not.toHaveProperty("routeStates");
  });

  it("is removed when the item is delisted", () => {
    const { item } = playReads(pipelineOf(drop), [
      ...reads,
      { status: "not_found", seen: {}, after: 15 },
    ]);
    expect(item).not.toHaveProperty("routeStates");
  });
});

describe("two routes of a step", () => {
  it("report the same change only once, with the reference value of the first matching route as the 'before' of the change", () => {
    const pipeline = pipelineOf(
      { when: "changed", field: "price", min_delta: 5, notify: true },
      { when: "changed", field: "price", notify: true },
    );
    const { effects } = playReads(pipeline, priced(100, 97, 95));
    expect(effects.map(({ changes }) => changes)).toEqual([
      null,
      { price: { before: 100, after: 97 } },
      { price: { before: 100, after: 95 } },
    ]);
  });
});
