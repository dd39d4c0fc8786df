import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { presentPipeline } from "../../../shared/pipelines/default.ts";
import { applyOutcome } from "../../../shared/runs/apply-outcome.ts";
import type { ItemOutcome } from "../../../shared/runs/run.ts";
import { type Item, newItem } from "../../../shared/watchlists/item.ts";
import { outcomesOf, type Records } from "../scenarios/runs-records.ts";
import { limitedPipeline } from "../scenarios/runs-watchlists.ts";
import type { World } from "../world.ts";

const minute = 60_000;

/** What the events of earlier runs contained about an item. */
interface Told {
  item: Item;
  /** Price in the last event with a price; before the first one, the first price. */
  price: number | undefined;
  /** Highest price since the last event that reported a price below 10. */
  highest: number;
  readonly lastTimes: Map<string, number>;
}

/**
 * Checks the limits of `limitedPipeline` against the events of its runs, without the model of a
 * route (invariants R19 and R20): no cooldown is violated, no drift is lost, and a condition with
 * `once` is reported once. Leaves out watchlists whose pipeline changed.
 */
export function checkLimits(records: Records, reached: World["reached"]): void {
  const isLimited = records.every(({ run }) =>
    isDeepStrictEqual(presentPipeline(run.pipeline), presentPipeline(limitedPipeline)),
  );
  if (!isLimited) return;
  const items = new Map<string, Told>();
  for (const { run, steps } of records) {
    for (const one of steps) {
      const { step, position, scraper } = one.step;
      for (const outcome of outcomesOf(one)) {
        const key = `${outcome.id} ${outcome.addedAt}`;
        const told = items.get(key) ?? newTold(outcome);
        items.set(key, told);
        if (told.item.state === "delisted") continue;
        const { id: runId, runNumber, pipeline } = run;
        const reading = { runId, runNumber, pipeline, step, position, scraper };
        told.item = applyOutcome(told.item, outcome, reading);
        const where = `${outcome.id} in run ${runNumber}, step ${step}`;
        if (step === "lite") checkOutcome(told, { outcome, where, reached });
      }
    }
  }
}

const newTold = ({ id, addedAt }: ItemOutcome): Told => ({
  item: newItem(id, addedAt),
  price: undefined,
  highest: Infinity,
  lastTimes: new Map(),
});

interface Judged {
  readonly outcome: ItemOutcome;
  readonly where: string;
  readonly reached: World["reached"];
}

function checkOutcome(told: Told, judged: Judged): void {
  const { outcome, where, reached } = judged;
  const branches = outcome.matched?.branches ?? [];
  if (branches.includes("failed")) checkTime(told, judged, { route: "failed", minutes: 10 });
  if (outcome.status !== "ok") return;
  const sent = outcome.reported === undefined ? {} : (outcome.reportedChanges ?? {});
  if ("inStock" in sent) checkTime(told, judged, { route: "inStock", minutes: 15 });
  const price = told.item.readings.product?.["price"];
  if (typeof price !== "number") return;
  if (sent["price"] !== undefined) {
    assert.equal(sent["price"].before, told.price, `${where}: price in the event before`);
    told.price = price;
    reached("a difference from the last notified price was reported");
  }
  checkPrice(told, { price, where, isMatched: branches.includes("ok") });
}

function checkPrice(
  told: Told,
  {
    price,
    where,
    isMatched,
  }: { readonly price: number; readonly where: string; readonly isMatched: boolean },
): void {
  told.price ??= price;
  assert(Math.abs(price - told.price) < 2, `${where}: ${price} differs from ${told.price}`);
  told.highest = Math.max(told.highest, price);
  if (!isMatched) return;
  assert(price < 10 && told.highest >= 10, `${where}: price below 10 was reported before`);
  told.highest = price;
}

function checkTime(
  { lastTimes }: Told,
  { outcome, where, reached }: Judged,
  { route, minutes }: { readonly route: string; readonly minutes: number },
): void {
  const [last, at] = [lastTimes.get(route), Date.parse(outcome.at)];
  if (last !== undefined) reached("a route notified again after its cooldown");
  const wait = at - (last ?? -Infinity);
  assert(wait >= minutes * minute, `${where}: ${route} was reported ${wait} ms before`);
  lastTimes.set(route, at);
}
