import type { HistoryPoint } from "../history/history.ts";
import { type Pipeline, readingKind, runOrder, type Step } from "../pipelines/definition.ts";
import type { Run } from "../runs/run.ts";
import type { StepAnswer, StepReadRequest } from "../runs/read-step.ts";
import {
  type FieldValue,
  type ReadingKind,
  type Snapshot,
  stepScrapers,
} from "../scrapers/catalogue.ts";
import { kindsSharing } from "../scrapers/shared-fields.ts";
import { currentSnapshot, type Item, kindsByWeight, newItem } from "../watchlists/item.ts";

/** A past run with the points that it recorded. */
export interface PastRun {
  readonly run: Run;
  /** The points of each item in step order, by item ID. */
  readonly points: ReadonlyMap<string, readonly HistoryPoint[]>;
}

/** A field that a step reads, but that the history lacks for at least one item of the step. */
export interface UnknownField {
  readonly step: string;
  readonly field: string;
}

type Known = Map<ReadingKind, Map<string, FieldValue>>;

/** What past runs read of the items of a watchlist, from their history. */
export interface PastReads {
  /** The items as they were before the first run. */
  readonly items: readonly Item[];
  /**
   * Answers a read of a step as the sources did in a past run. Returns no answer for an item that
   * was not read or of which nothing is known.
   */
  readonly answer: (past: PastRun, pipeline: Pipeline, request: StepReadRequest) => StepAnswer[];
  /** Applies the changes of a past run. Call it for each run, before the next run is read. */
  readonly pass: (past: PastRun) => void;
  /** Returns the unknown fields of all answers that `answer` has returned so far. */
  readonly unknownFields: () => readonly UnknownField[];
}

/**
 * Restores the items of a watchlist as they were before the first run in `later`: takes the items
 * of today, and reverts the changes that these runs recorded, newest run first. Returns the items,
 * and the functions that answer and apply the runs again.
 * @param present the items as stored now
 * @param later the first run to repeat and all later runs, oldest first
 */
export function pastReads(present: readonly Item[], later: readonly PastRun[]): PastReads {
  const state = new Map<string, Known>(present.map((item) => [item.id, knownOf(item)]));
  const delisted = new Set(present.filter((item) => item.state === "delisted").map(({ id }) => id));
  for (const { run, points } of later.toReversed()) {
    for (const point of [...points.values()].flatMap((some) => some.toReversed())) {
      const known = state.get(point.id);
      if (known === undefined) continue;
      if (point.status === "not_found") delisted.delete(point.id);
      write(known, { point, kind: kindOf(run.pipeline, point.step), side: "before" });
    }
  }
  const items = present.map((item) => pastItem(item, state.get(item.id), delisted));
  const unknown = new Map<string, UnknownField>();
  const readers = { state, delisted, unknown };
  return {
    items,
    answer: (past, pipeline, request) =>
      request.items
        .filter((item) => isReadable(item, request.step))
        .flatMap((item) => answerOf(item, { past, pipeline, request }, readers) ?? []),
    pass({ run, points }) {
      for (const point of [...points.values()].flat()) {
        const known = state.get(point.id);
        if (known === undefined) continue;
        if (point.status === "not_found") delisted.add(point.id);
        write(known, { point, kind: kindOf(run.pipeline, point.step), side: "after" });
      }
    },
    unknownFields: () => [...unknown.values()],
  };
}

/** The last known values by kind. A field that several kinds share has its newest value. */
function knownOf(item: Item): Known {
  const newest = currentSnapshot(item) ?? {};
  return new Map(
    kindsByWeight.flatMap((kind) => {
      const reading = item.readings[kind];
      if (reading === undefined) return [];
      const values = Object.entries(reading).map(([field, value]) => {
        const isShared = kindsSharing(field, kind).length > 1;
        return [field, isShared ? (newest[field] ?? null) : value] as const;
      });
      return [[kind, new Map(values)] as const];
    }),
  );
}

function kindOf(pipeline: Pipeline, id: string): ReadingKind | undefined {
  const step = pipeline.steps.find((one) => one.id === id);
  return step && readingKind(step);
}

interface Written {
  readonly point: HistoryPoint;
  readonly kind: ReadingKind | undefined;
  readonly side: "before" | "after";
}

function write(known: Known, { point, kind, side }: Written): void {
  if (kind === undefined) return;
  for (const [field, change] of Object.entries(point.values)) {
    const value = change[side];
    for (const one of kindsSharing(field, kind)) {
      const values = known.get(one) ?? new Map<string, FieldValue>();
      if (value === undefined) values.delete(field);
      else values.set(field, value);
      if (values.size === 0) known.delete(one);
      else known.set(one, values);
    }
  }
}

function pastItem(item: Item, known: Known | undefined, delisted: ReadonlySet<string>): Item {
  const { id, addedAt, firstReadAt, buyboxOfferId } = item;
  const fresh = newItem(id, addedAt);
  if (delisted.has(id)) return { ...item, owes: [] };
  if (known === undefined || known.size === 0) return fresh;
  const readings = Object.fromEntries([...known].map(([kind, values]) => [kind, snapshot(values)]));
  return {
    ...fresh,
    state: "active",
    firstReadAt,
    lastReadStatus: "ok",
    snapshotAt: firstReadAt,
    readings,
    buyboxOfferId,
  };
}

const snapshot = (values: ReadonlyMap<string, FieldValue>): Snapshot => Object.fromEntries(values);

interface PastRequest {
  readonly past: PastRun;
  readonly pipeline: Pipeline;
  readonly request: StepReadRequest;
}

interface Readers {
  readonly state: ReadonlyMap<string, Known>;
  readonly delisted: ReadonlySet<string>;
  readonly unknown: Map<string, UnknownField>;
}

/** Returns false if the step checks offers and no offer of the item is known; otherwise true. */
const isReadable = ({ buyboxOfferId }: StepReadRequest["items"][number], step: Step): boolean =>
  readingKind(step) !== "offer_check" || buyboxOfferId !== null;

/**
 * Returns the answer for an item as the source gave it in the past run; undefined if the run did
 * not read the item, or if nothing is known of an item that it found.
 */
function answerOf(
  { id, buyboxOfferId }: StepReadRequest["items"][number],
  { past, pipeline, request: { step } }: PastRequest,
  { state, delisted, unknown }: Readers,
): StepAnswer | undefined {
  const points = past.points.get(id) ?? [];
  const own = points.find((point) => point.step === step.id);
  const status = own?.status ?? statusOf(points, { past, step, wasDelisted: delisted.has(id) });
  if (status === "skipped" || status === "deferred") return undefined;
  const quarters = priceOf(step, status);
  const head = { id, status, quarters, fetchedAt: own?.at ?? timeOf(past, step) };
  if (status !== "ok") return { ...head, observed: null };
  const known = copyOf(state.get(id));
  for (const point of points.filter((one) => isBefore(pipeline, one.step, step))) {
    write(known, { point, kind: kindOf(past.run.pipeline, point.step), side: "after" });
  }
  if (known.size === 0) return undefined;
  const observed = snapshot(known.get(readingKind(step)) ?? new Map<string, FieldValue>());
  noteUnknown(unknown, step, observed);
  return { ...head, observed, ...offerIn(step, observed, buyboxOfferId) };
}

/** Price of an answer in quarter-credits. An answer that failed is not charged. */
const priceOf = ({ scraper }: Step, status: StepAnswer["status"]): number =>
  status === "ok" || status === "not_found" ? stepScrapers[scraper].reserveQuarters : 0;

interface UnrecordedRead {
  readonly past: PastRun;
  readonly step: Step;
  readonly wasDelisted: boolean;
}

/** The status of a read that has no point: `not_found` if the item was delisted, or `ok`. */
const statusOf = (
  points: readonly HistoryPoint[],
  { past, step, wasDelisted }: UnrecordedRead,
): HistoryPoint["status"] =>
  wasDelisted || points.some((point) => isDelistedBefore(past, step, point)) ? "not_found" : "ok";

/**
 * Returns true if a point delisted the item, unless the past run read `step` before. That read then
 * found the item without a change, of which the history has no point.
 */
function isDelistedBefore({ run }: PastRun, step: Step, point: HistoryPoint): boolean {
  if (point.status !== "not_found") return false;
  if (!Object.hasOwn(run.stats.steps, step.id)) return true;
  const order = runOrder(run.pipeline).map(({ id }) => id);
  return order.indexOf(step.id) > order.indexOf(point.step);
}

const copyOf = (known: Known | undefined): Known =>
  new Map([...(known ?? [])].map(([kind, values]) => [kind, new Map(values)]));

/**
 * The offer in the buy box after a read. The history has the ID that product reads show. Of offers
 * reads, it has only the seller: the offer of a seller keeps its known ID, or gets `unknownOffer`.
 */
function offerIn(
  step: Step,
  observed: Snapshot,
  known: string | null,
): Pick<StepAnswer, "buyboxOfferId"> {
  const isProduct = readingKind(step) === "product";
  const found = observed[isProduct ? "offerListingId" : "buyboxSeller"];
  if (found === null) return { buyboxOfferId: null };
  if (typeof found !== "string") return {};
  return { buyboxOfferId: isProduct ? found : (known ?? unknownOffer) };
}

/** The ID of an offer whose ID is not in the history. No event shows it. */
const unknownOffer = "unknown";

/**
 * The time of the reads of a step: the time of a point of the step, or else the start of the run.
 */
function timeOf({ run, points }: PastRun, { id }: Step): string {
  for (const [point] of points.values()) if (point?.step === id) return point.at;
  return run.startedAt;
}

/**
 * Returns true if a read of `step` includes the values that the step with ID `id` observed in the
 * same run. `id` is then the ID of `step`, of an earlier step, or of a step that the tested
 * pipeline does not have.
 */
function isBefore(pipeline: Pipeline, id: string, step: Step): boolean {
  const order = runOrder(pipeline).map((one) => one.id);
  return order.indexOf(id) <= order.indexOf(step.id);
}

function noteUnknown(unknown: Map<string, UnknownField>, step: Step, observed: Snapshot): void {
  const { fieldTypes, derivedFields } = stepScrapers[step.scraper];
  for (const field of Object.keys(fieldTypes)) {
    if (derivedFields.includes(field) || observed[field] !== undefined) continue;
    unknown.set(`${step.id} ${field}`, { step: step.id, field });
  }
}
