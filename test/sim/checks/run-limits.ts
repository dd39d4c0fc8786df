import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { presentPipeline } from "../../../shared/pipelines/default.ts";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import { applyOutcome } from "../../support/apply-outcome.ts";
import type { ItemOutcome } from "../../../shared/runs/item-outcome.ts";
import { type Item, newItem } from "../../../shared/watchlists/item.ts";
import { renamed } from "../../support/renamed-pipeline.ts";
import { isDiscarded } from "../scenarios/runs-holds.ts";
import { outcomesOf, type Records } from "../scenarios/runs-records.ts";
import { limitedPipeline } from "../scenarios/runs-watchlists.ts";
import type { World } from "../world.ts";

const minute = 60_000;

/** What the events of earlier runs contained about an item. */
interface Notified {
  item: Item;
  /** ID of the step with the limits, in the last run that has an outcome of the item. */
  step: string;
  /** Price in the last event with a price; if there was no such event, the first price read. */
  price: number | undefined;
  /** Highest price since the last event that reported a price below 10. */
  highest: number;
  lastTimes: Map<string, number>;
}

/**
 * Checks the limits of `limitedPipeline` against the events of its runs, without the model of a
 * route (invariants R19 and R20):
 * - A route notifies only after its cooldown.
 * - A price that changes in small steps is reported as soon as it differs enough from the last
 *   notified price.
 * - A condition with `once` is reported once. After the step IDs change, each route starts with an
 *   empty state.
 * @param reached counts each rare state that a run reached
 * @throws Error if a check fails
 */
export function checkLimits(records: Records, reached: World["reached"]): void {
  const items = new Map<string, Notified>();
  for (const { run, steps } of records) {
    const reporting = reportingStep(run.pipeline);
    if (reporting === undefined) return;
    if (isDiscarded(run)) continue;
    for (const one of steps) {
      const { step, position, scraper } = one.step;
      for (const outcome of outcomesOf(one)) {
        const key = `${outcome.id} ${outcome.addedAt}`;
        const notified = withStep(items.get(key) ?? newNotified(outcome, reporting), reporting);
        items.set(key, notified);
        if (notified.item.state === "delisted") continue;
        const { id: runId, runNumber, pipeline } = run;
        const reading = { runId, runNumber, pipeline, step, position, scraper };
        notified.item = applyOutcome(notified.item, outcome, reading);
        const where = `${outcome.id} in run ${runNumber}, step ${step}`;
        const judged = { outcome, where, reached };
        if (step === reporting) checkOutcome(notified, judged);
        else if (outcome.matched?.branches.includes("ok") === true)
          checkTime(notified, judged, { route: "newCount", minutes: 5 });
      }
    }
  }
}

/**
 * Returns the ID of the step whose routes have limits. Returns undefined for any other pipeline
 * than `limitedPipeline`. The steps may be renamed.
 */
function reportingStep(pipeline: Pipeline): string | undefined {
  const shown = presentPipeline(pipeline);
  if (isDeepStrictEqual(shown, presentPipeline(limitedPipeline))) return "lite";
  const isRenamed = isDeepStrictEqual(shown, presentPipeline(renamed(limitedPipeline)));
  return isRenamed ? "r-lite" : undefined;
}

const newNotified = ({ id, addedAt }: ItemOutcome, step: string): Notified => ({
  item: newItem(id, addedAt),
  step,
  price: undefined,
  highest: Infinity,
  lastTimes: new Map(),
});

function withStep(notified: Notified, step: string): Notified {
  if (notified.step === step) return notified;
  const price = notified.item.readings.product?.["price"];
  return {
    ...notified,
    step,
    price: typeof price === "number" ? price : undefined,
    highest: Infinity,
    lastTimes: new Map(),
  };
}

interface Judged {
  readonly outcome: ItemOutcome;
  readonly where: string;
  readonly reached: World["reached"];
}

function checkOutcome(notified: Notified, judged: Judged): void {
  const { outcome, where, reached } = judged;
  const branches = outcome.matched?.branches ?? [];
  if (branches.includes("failed")) checkTime(notified, judged, { route: "failed", minutes: 10 });
  if (outcome.status !== "ok") return;
  const sent = outcome.reported === undefined ? {} : (outcome.reportedChanges ?? {});
  if ("isFba" in sent) checkTime(notified, judged, { route: "isFba", minutes: 5 });
  const price = notified.item.readings.product?.["price"];
  if (typeof price !== "number") return;
  if (sent["price"] !== undefined) {
    assert.equal(sent["price"].before, notified.price, `${where}: price in the event before`);
    notified.price = price;
    reached("a difference from the last notified price was reported");
  }
  checkPrice(notified, { price, where, isMatched: branches.includes("ok") });
}

function checkPrice(
  notified: Notified,
  {
    price,
    where,
    isMatched,
  }: { readonly price: number; readonly where: string; readonly isMatched: boolean },
): void {
  notified.price ??= price;
  assert(Math.abs(price - notified.price) < 2, `${where}: ${price} differs from ${notified.price}`);
  notified.highest = Math.max(notified.highest, price);
  if (!isMatched) return;
  assert(price < 10 && notified.highest >= 10, `${where}: price below 10 was reported before`);
  notified.highest = price;
}

function checkTime(
  { lastTimes }: Notified,
  { outcome, where, reached }: Judged,
  { route, minutes }: { readonly route: string; readonly minutes: number },
): void {
  const [last, at] = [lastTimes.get(route), Date.parse(outcome.at)];
  if (last !== undefined) reached("a route notified again after its cooldown");
  const wait = at - (last ?? -Infinity);
  assert(wait >= minutes * minute, `${where}: ${route} was reported ${wait} ms before`);
  lastTimes.set(route, at);
}
