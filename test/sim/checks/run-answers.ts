import assert from "node:assert/strict";
import { watchlistKeys } from "../../../shared/aws/table/table.ts";
import { type Pipeline, stepOf } from "../../../shared/pipelines/definition.ts";
import type { ItemOutcome } from "../../../shared/runs/item-outcome.ts";
import { currentSnapshot, type Item } from "../../../shared/watchlists/item.ts";
import { everythingKnown, type Known } from "../../run-model/fields.ts";
import type { ModelRouteStates } from "../../run-model/route.ts";
import {
  stepsToRetry,
  type ModelRetry,
  addRetry,
  clearRetry,
  shownRetries,
} from "../../run-model/retries.ts";
import { lastChangeAfter } from "../../run-model/run-model.ts";
import type { ModelItem } from "../../run-model/watchlist.ts";
import { isDiscarded } from "../scenarios/runs-holds.ts";
import type { WatchlistScene } from "../scenarios/runs-scene.ts";
import {
  outcomesOf,
  type Records,
  type RunRecords,
  type StepRecords,
} from "../scenarios/runs-records.ts";
import type { FlatAnswer } from "../sources.ts";
import type { RunsSeen } from "./run-claims.ts";
import { checkRoutes } from "./run-routes.ts";

/** The state that an item must have according to the sources' answers, if no user changed it. */
export interface ExpectedItem {
  state: "new" | "active" | "delisted";
  lastStatus: string | null;
  /** The last successful reading of each kind, and newer values of shared fields. */
  known: Known;
  /** The route states of the pipeline's routes. */
  routeStates: ModelRouteStates;
  /** The owed retries of the item. */
  owes: readonly ModelRetry[];
  /** The ID of the last known offer in the buy box; null if there is none. */
  offer: string | null;
  /** The changes of the item in the newest run that found any, from all steps of this run. */
  lastChange: ModelItem["lastChange"];
}

interface Judged {
  readonly seen: RunsSeen;
  readonly expected: ReadonlyMap<string, ExpectedItem>;
  readonly record: RunRecords;
  readonly reached: (name: string) => void;
}

/**
 * Checks the reads, outcomes, reports and charges of runs against the sources' answers (invariants
 * R2, R3, R4, R6 and M3). Derives the expected results only from the specification. Returns the
 * expected state of each item that no user changed, by item ID; an empty map if a user has
 * requested the deletion of the watchlist.
 * @throws Error if a check fails
 */
export function checkAnswers(
  list: WatchlistScene,
  records: Records,
  { seen, reached }: Pick<Judged, "seen" | "reached">,
): ReadonlyMap<string, ExpectedItem> {
  // The purge deletes the items of a deleted watchlist during its last run.
  if (list.isDeletionAsked) return new Map();
  const untouched = list.request.ids.filter((id) => !list.touched.has(id));
  const expected = new Map(untouched.map((id) => [id, newExpected()]));
  const known = new Set([...list.request.ids, ...list.touched]);
  for (const record of records) {
    const { run, steps } = record;
    for (const id of steps.flatMap(idsOf))
      assert(known.has(id), `${id} was never on the watchlist`);
    if (run.plan === null || run.status === "insufficient_credits") continue;
    const before = structuredClone(expected);
    checkRun({ seen, expected, record, reached });
    if (!isDiscarded(run)) continue;
    for (const [id, item] of before) expected.set(id, item);
  }
  return expected;
}

/**
 * Compares a stored item with its expected state.
 * @throws Error if a check fails
 */
export function checkExpected(item: Item, expected: ExpectedItem): void {
  assert.equal(item.state, expected.state, `${item.id}: state`);
  assert.equal(item.lastReadStatus, expected.lastStatus, `${item.id}: last read`);
  assert.deepEqual(item.readings, expected.known.readings, `${item.id}: readings`);
  assert.deepEqual(currentSnapshot(item), everythingKnown(expected.known), `${item.id}: snapshot`);
  assert.equal(item.snapshotAt !== null, isKnown(expected), `${item.id}: time of snapshot`);
  checkLastChange(item, expected);
  assert.deepEqual(
    shownRetries(item.owes),
    shownRetries(expected.owes),
    `${item.id}: owed retries`,
  );
}

function checkLastChange({ id, lastChange }: Item, expected: ExpectedItem): void {
  const stored = lastChange && {
    runNumber: lastChange.runNumber,
    step: lastChange.step,
    scraper: lastChange.scraper,
    changes: lastChange.changes,
  };
  assert.deepEqual(stored, expected.lastChange, `${id}: last change`);
}

const newExpected = (): ExpectedItem => ({
  state: "new",
  lastStatus: null,
  known: { readings: {}, newer: {} },
  routeStates: new Map(),
  owes: [],
  offer: null,
  lastChange: null,
});

const isKnown = ({ known }: ExpectedItem): boolean => Object.keys(known.readings).length > 0;

const idsOf = ({ batches }: StepRecords): readonly string[] => batches.flatMap(({ ids }) => ids);

const nameOf = ({ record: { run } }: Judged, step: string): string =>
  `run ${run.runNumber} of ${run.watchlistId}, step ${step}`;

function checkRun(judged: Judged): void {
  const { expected, record } = judged;
  const starts = new Map([...expected].map(([id, one]) => [id, startsOf(one, record)]));
  const sent = new Map<string, Set<string>>();
  for (const one of record.steps) {
    checkReadItems(judged, one, { starts, sent });
    checkStep(judged, one);
    for (const { id, next = [] } of outcomesOf(one)) {
      for (const to of next) sent.set(to, (sent.get(to) ?? new Set()).add(id));
    }
  }
  if (record.run.status === "failed") addMissedRetries(judged, sent);
  else checkReachedSteps(judged, starts);
}

type ItemSteps = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Checks that a step reads exactly the items that start there or that routes sent there (invariant
 * R2).
 */
function checkReadItems(
  judged: Judged,
  one: StepRecords,
  { starts, sent }: { readonly starts: ItemSteps; readonly sent: ItemSteps },
): void {
  const { step } = one.step;
  const planned = new Set(idsOf(one));
  for (const [id, { state }] of judged.expected) {
    const isSent = sent.get(step)?.has(id) === true;
    const isDue = state !== "delisted" && starts.get(id)?.has(step) === true;
    assert.equal(planned.has(id), isSent || isDue, `${nameOf(judged, step)}: ${id} is read`);
  }
}

/** Checks that a run reached the start step of every item, unless the run failed. */
function checkReachedSteps(judged: Judged, starts: ItemSteps): void {
  const reachedSteps = new Set(judged.record.steps.map(({ step }) => step.step));
  for (const [id, { state }] of judged.expected) {
    if (state === "delisted") continue;
    for (const step of starts.get(id) ?? []) {
      assert(
        reachedSteps.has(step),
        `${nameOf(judged, step)}, where ${id} starts, was not reached`,
      );
    }
  }
}

/** Adds owed retries for the steps that a failed run did not reach. */
function addMissedRetries({ expected, record }: Judged, sent: ItemSteps): void {
  const reachedSteps = record.steps.filter(({ step }) => step.stats !== null);
  const done = new Set(reachedSteps.map(({ step }) => step.step));
  for (const [step, ids] of sent) {
    if (done.has(step)) continue;
    for (const id of ids) {
      const item = expected.get(id);
      if (item !== undefined && item.state !== "delisted") addRetryAt(item, record, step);
    }
  }
}

const addRetryAt = (item: ExpectedItem, { run: { pipeline } }: RunRecords, step: string): void =>
  addRetry(pipeline, item, stepOf(pipeline, step));

const clearRetryAt = (item: ExpectedItem, { run: { pipeline } }: RunRecords, step: string): void =>
  clearRetry(pipeline, item, stepOf(pipeline, step));

/**
 * Returns the steps at which an item starts (specification, sections "Pipeline" and "States and
 * transitions").
 */
function startsOf(item: ExpectedItem, { run }: RunRecords): ReadonlySet<string> {
  const { state } = item;
  if (state === "delisted") return new Set();
  const { entry, baseline, refresh }: Pipeline = run.pipeline;
  // The run's kind is not checked here. `run-refreshes.ts` checks whether the run had to be a
  // refresh.
  const usual = run.kind === "refresh" ? (refresh?.entry ?? entry) : entry;
  const first = state === "new" ? (baseline ?? entry) : usual;
  return new Set([first, ...stepsToRetry(run.pipeline, item)]);
}

function checkStep(judged: Judged, one: StepRecords): void {
  const { step, batches } = one;
  // The run failed before the service decided whether to read or defer this step.
  if (step.decision === null || step.stats === null) return;
  const where = nameOf(judged, step.step);
  const counts = { ok: 0, partial: 0, not_found: 0, unavailable: 0 };
  let quarters = 0;
  for (const [number, batch] of batches.entries()) {
    const key = watchlistKeys.result(judged.record.run.id, { ...step, number });
    const received = judged.seen.answers.get(`${key.pk}/${key.sk}`) ?? [];
    if (step.decision === "defer") assert.deepEqual(received, [], `${where}: read without credits`);
    for (const answer of received) {
      quarters += quartersOf(step.scraper, answer);
      counts[answer.status] += 1;
    }
    // An abandoned batch recorded no answers.
    if (received.length === 0) counts.unavailable += batch.result?.counts.unavailable ?? 0;
    takeBatch(judged, one, { ...batch, received });
  }
  const { ok, partial, notFound, unavailable, credits } = step.stats;
  const actual = { ok, partial, not_found: notFound, unavailable };
  assert.deepEqual(actual, counts, `${where}: answers by status`);
  assert.equal(credits, Math.ceil(quarters / 4), `${where}: credits of the answers`);
}

function takeBatch(
  judged: Judged,
  one: StepRecords,
  {
    ids,
    result,
    received,
  }: StepRecords["batches"][number] & { readonly received: readonly FlatAnswer[] },
): void {
  const answers = new Map(received.map((answer) => [answer.id, answer]));
  const outcomes = new Map(result?.outcomes.map((outcome) => [outcome.id, outcome]));
  for (const id of ids) {
    const item = judged.expected.get(id);
    // An answer does not change an item that is already delisted.
    if (item === undefined || item.state === "delisted") continue;
    const answer = answers.get(id);
    const name = `${nameOf(judged, one.step.step)}: ${id}`;
    const read = { judged, one, outcome: outcomes.get(id), name };
    if (answer === undefined) takeUnread(item, read);
    else takeAnswer(item, { ...read, answer });
  }
}

/** The price of each scraper in quarters of a credit (specification, section "Pipeline"). */
const prices: Readonly<Record<string, number>> = {
  "retailer_a.pulse": 1,
  "retailer_a.lite": 4,
  "retailer_a.full": 20,
  "retailer_a.offer_check": 2,
  "retailer_d.standard": 4,
};

/**
 * Returns the price of an answer in quarters of a credit. Only `ok` and `not_found` are charged. An
 * answer with several offers costs more.
 */
function quartersOf(scraper: string, { status, totalOffers = 0 }: FlatAnswer): number {
  if (status === "partial" || status === "unavailable") return 0;
  if (scraper === "retailer_a.offers") return totalOffers > 1 ? 12 : 4;
  const price = prices[scraper];
  assert(price !== undefined, `${scraper} has no known price`);
  return price;
}

interface Read {
  readonly judged: Judged;
  readonly one: StepRecords;
  readonly outcome: ItemOutcome | undefined;
  readonly name: string;
}

interface Answered extends Read {
  readonly answer: FlatAnswer;
}

/**
 * Updates the expected item for a step that did not read it, because the step was deferred, the run
 * failed, or no offer was known to check.
 */
function takeUnread(item: ExpectedItem, { judged, one, outcome, name }: Read): void {
  const { step, decision, scraper, shortfall, done } = one.step;
  // A credit limit deferred the step before the run had read anything. The items start at this step
  // again in the next run, so they need no owed retry.
  if (shortfall?.limit !== undefined && done.size === 0) return;
  assert.equal(outcome?.changes, undefined, `${name}, which was not read, changed`);
  if (decision === "defer") return addRetryAt(item, judged.record, step);
  if (judged.record.run.status === "failed" && outcome?.status === "unavailable") {
    addRetryAt(item, judged.record, step);
    item.lastStatus = "unavailable";
    return;
  }
  assert.equal(scraper, "retailer_a.offer_check", `${name} was not read`);
  assert.equal(item.offer, null, `${name} has an offer to check`);
  clearRetryAt(item, judged.record, step);
}

function takeAnswer(item: ExpectedItem, read: Answered): void {
  const { answer, outcome, name, one, judged } = read;
  const { step } = one.step;
  const { status, shown } = answer;
  if (answer.offerListingId !== undefined) {
    assert.equal(answer.offerListingId, item.offer, `${name}: the offer seen last is checked`);
  }
  assert.equal("lastSnapshot" in (outcome ?? {}), status === "not_found", `${name}: delisted`);
  const { pipeline } = judged.record.run;
  const { after, changes, routeStates } = checkRoutes({
    pipeline,
    step: stepOf(pipeline, step),
    item,
    answer,
    outcome,
    name,
  });
  item.lastStatus = status;
  item.routeStates = routeStates;
  if (status === "ok" && shown !== undefined) {
    clearRetryAt(item, judged.record, step);
    item.known = after;
    const { runNumber } = judged.record.run;
    const found = { runNumber, step, scraper: one.step.scraper, changes };
    if (item.lastChange?.runNumber === runNumber)
      judged.reached("a run found changes at two steps");
    item.lastChange = lastChangeAfter(item.lastChange, found);
    noteChanges(outcome, judged.reached);
    const { buybox = shown["offerListingId"] } = answer;
    if (typeof buybox === "string" || buybox === null) item.offer = buybox;
    item.state = "active";
    return;
  }
  if (status === "not_found") {
    item.state = "delisted";
    item.known = { ...item.known, prices: [] };
    item.owes = [];
    return;
  }
  if (isKnown(item)) judged.reached("an item with a snapshot was not read");
  addRetryAt(item, judged.record, step);
}

function noteChanges(outcome: ItemOutcome | undefined, reached: Judged["reached"]): void {
  if (outcome?.reported !== undefined) reached("a change was reported");
  if (outcome?.isCounted === true) reached("a change was reported that another scraper saw first");
}
