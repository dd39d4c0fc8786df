import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { presentPipeline } from "../../../shared/pipelines/default.ts";
import type { WatchlistScene, RunsScene } from "../scenarios/runs-scene.ts";
import { outcomesOf, type Records, type RunRecords } from "../scenarios/runs-records.ts";
import { isDiscarded } from "../scenarios/runs-holds.ts";
import { watchRows } from "./previews.ts";
import { expectedEntries, stepsWithEvents } from "./run-events.ts";

interface TestedRun {
  readonly run_number: number;
  readonly steps: readonly { readonly step: string; readonly items: number }[];
  readonly events: Readonly<Record<string, number>>;
}

/**
 * Back-tests each watchlist with its own pipeline over all of its runs. The back-test must have the
 * same runs, items per step and items in events as the runs that took place, and must change no row
 * of the watchlist (invariant H6). Skips these watchlists:
 * - watchlists whose items or pipeline changed
 * - watchlists with a failed run, or with a read of an item after the step that delisted the item,
 *   because the history does not have such reads
 */
export async function checkBacktests(
  scene: RunsScene,
  lists: readonly { readonly list: WatchlistScene; readonly records: Records }[],
): Promise<void> {
  for (const { list, records } of lists) {
    if (isRepeatable(list, records)) await checkBacktest(scene, list, records);
  }
}

function isRepeatable({ isDeletionAsked, touched }: WatchlistScene, records: Records): boolean {
  const [first] = records;
  if (first === undefined || isDeletionAsked || touched.size > 0) return false;
  return records.every(
    (record) =>
      isDeepStrictEqual(record.run.pipeline, first.run.pipeline) &&
      record.run.status !== "failed" &&
      !hasReadAfterDelisting(record),
  );
}

function hasReadAfterDelisting({ steps }: RunRecords): boolean {
  const delisted = new Set<string>();
  for (const { id, lastSnapshot } of steps.flatMap(outcomesOf)) {
    if (delisted.has(id)) return true;
    if (lastSnapshot !== undefined) delisted.add(id);
  }
  return false;
}

async function checkBacktest(
  { world }: RunsScene,
  { id, user }: WatchlistScene,
  records: Records,
): Promise<void> {
  const [{ run: { pipeline } } = assert.fail("a run")] = records;
  const assertUnchanged = await watchRows(world, id);
  let tested: readonly TestedRun[] = [];
  world.begin(`back-test of ${id}`, async () => {
    const since = records.map(({ run }) => run.startedAt).toSorted()[0];
    const path = `/v1/watchlists/${id}/backtest`;
    const body = { since, pipeline: presentPipeline(pipeline) };
    const answer = await world.call({ method: "POST", path, key: user.key, body });
    assert(answer?.status === 200, answer?.text);
    tested = (answer.body as unknown as { readonly runs: readonly TestedRun[] }).runs;
  });
  await world.until(() => world.users() === 0, "the back-test has ended", world.tasks.now());
  await assertUnchanged();
  const repeated = records.filter(({ run }) => !isDiscarded(run));
  assert.deepEqual(
    tested.map(({ run_number: number }) => number),
    repeated.map(({ run }) => run.runNumber),
    `the back-test of ${id}: runs`,
  );
  for (const [n, record] of repeated.entries()) {
    const { run } = record;
    const name = `the back-test of ${id}: run ${run.runNumber}`;
    assert.deepEqual(tested[n]?.events, eventsOf(record), `${name}: items in events`);
    assert.deepEqual(
      Object.fromEntries((tested[n]?.steps ?? []).map(({ step, items }) => [step, items])),
      Object.fromEntries(
        Object.entries(run.stats.steps).map(([step, { requested }]) => [step, requested]),
      ),
      `${name}: items of steps`,
    );
  }
  if (repeated.length > 1) world.reached("a back-test repeated several runs");
}

/** Returns the number of items in the events of a run, by event type. */
function eventsOf(record: RunRecords): Readonly<Record<string, number>> {
  const entries = expectedEntries(stepsWithEvents(record));
  const counts = Object.entries(entries).map(([type, items]) => [
    `watchlist.product.${type}`,
    items.length,
  ]);
  return Object.fromEntries(counts.filter(([, items]) => items !== 0));
}
