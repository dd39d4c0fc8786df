import type { ObservedChange } from "../history/history.ts";
import { areEqual } from "../pipelines/compare.ts";
import {
  type Metadata,
  type Pipeline,
  readingKind,
  type Step,
  testsMetadata,
} from "../pipelines/definition.ts";
import { matchRoutes, type ReadingFacts, type RouteMatches } from "../pipelines/rules.ts";
import type { RouteStates } from "../pipelines/route-state.ts";
import { derivedPricesAt, priceRead, readsPrice } from "../pipelines/tested-prices.ts";
import { type FieldValue, type Snapshot, stepScrapers } from "../scrapers/catalog.ts";
import { currentSnapshot, type Item, knownValue } from "../watchlists/item.ts";
import type { KnownDetails } from "../watchlists/item-details.ts";
import { compareIds } from "../watchlists/id-order.ts";
import type { DetailsOf } from "./batch-details.ts";
import { retrySteps } from "./owed-retries.ts";
import type { StepAnswer } from "./read-step.ts";
import { readingsAfter } from "./readings-after.ts";
import { routeStatesAfter } from "./route-states-after.ts";
import type { BatchCounts, BatchResult } from "./batch.ts";
import { hasEffects, isReported, type ItemOutcome } from "./item-outcome.ts";
import { deriveFromPulse, unchangedCheck } from "./unchanged-read.ts";

/**
 * Derives the result of a batch from the answers for its items (specification, sections "States and
 * transitions" and "Pipeline"). Pure and deterministic. The answers must be sorted by item ID. The
 * outcomes of the result are sorted by item ID, too. In an `offer_check` step, an item without an
 * answer had no offer to check.
 * @param at time of the reads, ISO 8601
 * @param traces the price traces that the items lacked, as route states by item ID
 * @param detailsOf returns the details of an item; no details by default
 */
export function batchResult(
  { pipeline, step }: PipelineStep,
  { items, planned, at, traces, detailsOf = () => ({}) }: BatchItems,
  answers: readonly StepAnswer[],
): BatchResult {
  const outcomes: ItemOutcome[] = [];
  const isUnchanged = unchangedCheck(pipeline, step);
  for (const answer of answers) {
    const item = items.get(answer.id);
    if (item === undefined) continue;
    const { observed, buyboxOfferId } = answer;
    const metadata = testedMetadata(step, () => detailsOf(answer.id));
    if (observed !== null && isUnchanged(item, { observed, buyboxOfferId }, metadata)) continue;
    const tested = { pipeline, step, metadata, traces: traces?.get(item.id) };
    const outcome = outcomeOf(tested, item, answer);
    if (outcome === undefined) continue;
    outcomes.push(isReported(outcome) ? withDetails(outcome, detailsOf(answer.id)) : outcome);
  }
  const answered = new Set(answers.map(({ id }) => id));
  for (const item of items.values()) {
    const { id, addedAt } = item;
    // The item has no offer to check, so no run could repeat the owed retry. The retry therefore
    // ends here.
    const endsRetry = !answered.has(id) && retrySteps(pipeline, item).includes(step.id);
    if (endsRetry) outcomes.push({ id, addedAt, status: "skipped", at });
  }
  outcomes.sort((a, b) => compareIds(a.id, b.id));
  return { counts: countsOf(answers, planned), outcomes };
}

/**
 * Returns the metadata of an item, or nothing if the step does not test metadata, because reading
 * the details takes time.
 */
const testedMetadata = (step: Step, details: () => KnownDetails): Metadata =>
  testsMetadata(step) ? (details().metadata ?? {}) : {};

interface PipelineStep {
  readonly pipeline: Pipeline;
  readonly step: Step;
}

interface TestedStep extends PipelineStep {
  /** Metadata of the item that was read. */
  readonly metadata: Metadata;
  readonly traces: RouteStates | undefined;
}

interface BatchItems {
  /**
   * Items by ID, with the outcomes of earlier steps applied. Items that were removed after the
   * planning of the run are not included.
   */
  readonly items: ReadonlyMap<string, Item>;
  /** Number of planned items, including removed ones. */
  readonly planned: number;
  /** Time (ISO 8601) of the outcome of an item without an answer. */
  readonly at: string;
  /**
   * The states of derived fields that the items lack, by item ID. They were calculated from the
   * history.
   */
  readonly traces?: ReadonlyMap<string, RouteStates>;
  /** Returns the known details of an item. @default none */
  readonly detailsOf?: DetailsOf;
}

const withDetails = (outcome: ItemOutcome, details: KnownDetails): ItemOutcome =>
  Object.keys(details).length > 0 ? { ...outcome, details } : outcome;

/** Counts the answers by status. `planned` is the number of planned items. */
function countsOf(answers: readonly StepAnswer[], planned: number): BatchCounts {
  const counts = { ok: 0, partial: 0, notFound: 0, unavailable: 0, quarters: 0 };
  for (const { status, quarters } of answers) {
    counts[status === "not_found" ? "notFound" : status] += 1;
    counts.quarters += quarters;
  }
  return { ...counts, requested: answers.length, skipped: planned - answers.length };
}

/**
 * Returns the outcome of a step for an item. Returns undefined if the answer does not change the
 * item, cause an event, or route the item to a step.
 */
function outcomeOf(tested: TestedStep, item: Item, answer: StepAnswer): ItemOutcome | undefined {
  const { pipeline, step } = tested;
  const { status, fetchedAt: at, observed } = answer;
  if (observed !== null) return okOutcome(tested, item, { ...answer, observed });
  const matches = matchRoutes(
    step,
    {
      ...factsOf(tested, item),
      status,
      before: null,
      after: null,
      known: {},
      notified: new Set(),
      derived: {},
    },
    { states: item.routeStates ?? {}, at },
  );
  const routed = routedBy(matches, () => currentSnapshot(item) ?? {});
  const outcome = { id: item.id, addedAt: item.addedAt, status, at, ...routed };
  if (item.state === "delisted") {
    return routed.matched !== undefined || routed.next !== undefined ? outcome : undefined;
  }
  return status === "not_found"
    ? { ...outcome, lastSnapshot: currentSnapshot(item) }
    : { ...outcome, ...routeStatesAfter(item, { pipeline, step, matches, at, after: {} }) };
}

/** Returns the facts about an item that do not depend on the answer. */
const factsOf = (
  { metadata }: TestedStep,
  { firstReadAt }: Item,
): Pick<ReadingFacts, "firstRead" | "metadata"> => ({ firstRead: firstReadAt === null, metadata });

/** Returns the outcome of an `ok` answer; undefined if it has no effect. */
function okOutcome(
  tested: TestedStep,
  item: Item,
  { observed, ...answer }: StepAnswer & { readonly observed: Snapshot },
): ItemOutcome | undefined {
  const { pipeline, step, traces } = tested;
  const kind = readingKind(step);
  const at = answer.fetchedAt;
  const price = readsPrice(step) ? priceRead(item.readings[kind], observed, at) : undefined;
  const states = { ...traces, ...item.routeStates };
  const derived =
    kind === "pulse" ? deriveFromPulse(item, observed) : derivedPricesAt(pipeline, states, price);
  const known = knownOf(item, step);
  const matches = matchRoutes(
    step,
    {
      ...factsOf(tested, item),
      status: "ok",
      before: item.readings[kind] ?? null,
      after: observed,
      known,
      notified: notifiedOf(item),
      derived,
    },
    { states, at },
  );
  const after = readingsAfter(item, { pipeline, step, observed, matches });
  const snapshot = (): Snapshot => snapshotAfter(item, after);
  const { testableFields } = stepScrapers[step.scraper];
  const routed = routedBy(matches, () => ({
    ...pickFields(snapshot(), testableFields),
    ...derived,
  }));
  const { buyboxOfferId } = answer;
  const isOtherOffer = buyboxOfferId !== undefined && buyboxOfferId !== item.buyboxOfferId;
  const outcome: ItemOutcome = {
    id: item.id,
    addedAt: item.addedAt,
    status: "ok",
    at,
    ...routed,
    ...after,
    ...(item.state !== "delisted" && changesSince(known, observed, step)),
    ...routeStatesAfter(item, { pipeline, step, matches, at, after, price, traces }),
    ...changesIn(matches),
    ...reportedIn(matches, snapshot),
    ...(isOtherOffer && { buyboxOfferId }),
  };
  return hasEffects(outcome) || isAwaited(item, { step, pipeline }) ? outcome : undefined;
}

/**
 * Returns the changes of a read since the last known values, for the history; empty if there are
 * none. Do not call this function for a delisted item, because a read does not change such an item.
 */
function changesSince(
  known: Snapshot,
  observed: Snapshot,
  { scraper }: Step,
): Pick<ItemOutcome, "observed"> {
  const changes: Record<string, ObservedChange> = {};
  let isEmpty = true;
  for (const field of stepScrapers[scraper].fieldNames) {
    const before = known[field];
    const after = observed[field];
    if (after === undefined) continue;
    if (before !== undefined && areEqual(field, before, after)) continue;
    changes[field] = before === undefined ? { after } : { before, after };
    isEmpty = false;
  }
  return isEmpty ? {} : { observed: changes };
}

const changesIn = ({
  changes,
  hasNews,
}: RouteMatches): Pick<ItemOutcome, "changes" | "isCounted"> =>
  Object.keys(changes).length === 0 ? {} : { changes, ...(!hasNews && { isCounted: true }) };

/** Returns what a `watchlist.product.changed` event reports of the read; empty for nothing. */
const reportedIn = (
  { notifyChanged, reported }: RouteMatches,
  snapshot: () => Snapshot,
): Pick<ItemOutcome, "reported" | "reportedChanges"> => ({
  ...(notifyChanged && { reported: snapshot() }),
  ...(reported !== undefined && { reportedChanges: reported }),
});

/**
 * Returns the last known values of the fields that a step reads, even if another kind of step read
 * them.
 */
function knownOf(item: Item, step: Step): Snapshot {
  // Skips the work for items without a reading, which are most items of a baseline run.
  if (Object.keys(item.readings).length === 0) return {};
  const kind = readingKind(step);
  return valuesOf(stepScrapers[step.scraper].fieldNames, (field) => knownValue(item, field, kind));
}

const notifiedOf = ({ openChanges }: Item): ReadonlySet<string> =>
  new Set(
    Object.entries(openChanges)
      .filter(([, { notified }]) => notified)
      .map(([field]) => field),
  );

const snapshotAfter = (
  item: Item,
  { readings, openChanges }: ReturnType<typeof readingsAfter>,
): Snapshot =>
  currentSnapshot({
    readings: { ...item.readings, ...readings },
    openChanges: openChanges ?? item.openChanges,
  }) ?? {};

/**
 * Returns true if an `ok` read has an effect even without changes: it is the first read, ends the
 * failures of the item, or clears an owed retry of the step.
 */
const isAwaited = (item: Item, { step, pipeline }: PipelineStep): boolean =>
  item.lastReadStatus !== "ok" || retrySteps(pipeline, item).includes(step.id);

const pickFields = (snapshot: Snapshot, fields: readonly string[]): Snapshot =>
  valuesOf(fields, (field) => snapshot[field]);

/** Returns the values of the fields that have a value. */
function valuesOf(
  fields: readonly string[],
  valueOf: (field: string) => FieldValue | undefined,
): Snapshot {
  const values: Record<string, FieldValue> = {};
  for (const field of fields) {
    const value = valueOf(field);
    if (value !== undefined) values[field] = value;
  }
  return values;
}

/** Returns the matches to report in events and the next steps; empty for neither. */
function routedBy(
  { matched, next }: RouteMatches,
  values: () => Snapshot,
): Pick<ItemOutcome, "matched" | "next"> {
  return {
    ...(matched.length > 0 && { matched: { branches: matched, values: values() } }),
    ...(next.length > 0 && { next }),
  };
}
