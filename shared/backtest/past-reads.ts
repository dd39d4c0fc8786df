import type { HistoryPoint } from "../history/history.ts";
import { type Pipeline, readingKind, runOrder, type Step } from "../pipelines/definition.ts";
import type { StepAnswer, StepReadRequest } from "../runs/read-step.ts";
import { type FieldValue, type Snapshot, stepScrapers } from "../scrapers/catalog.ts";
import { type Item, newItem } from "../watchlists/item.ts";
import {
  applyPoint,
  copyOf,
  pastItem,
  type PastState,
  snapshotOf,
  stateBefore,
  writePoint,
} from "./known-values.ts";
import { type PastLives, pastLives } from "./past-lives.ts";
import { kindOf, type PastRun } from "./past-run.ts";
import { type PastStep, pastStepsOf } from "./past-steps.ts";

/** A field that a step reads, but that the history lacks for at least one item of the step. */
export interface UnknownField {
  readonly step: string;
  readonly field: string;
}

/** The number of reads of a step that the past runs did not make. */
export interface UnknownReads {
  readonly step: string;
  readonly reads: number;
}

/** The reads of a watchlist's items in past runs, restored from the history. */
export interface PastReads {
  /**
   * The items as they were before the first repeated run; for items that were added later, as they
   * were when they were added.
   */
  readonly items: readonly Item[];
  /** Starts a past run. Call it for each run, oldest first, after `pass` of the previous run. */
  readonly begin: (past: PastRun) => PastRunReads;
  /** Returns true if the item was on the watchlist in the run, but its reads cannot be repeated. */
  readonly isLeftOut: (id: string, runNumber: number) => boolean;
  /** Returns the fields that were unknown in any answer so far. */
  readonly unknownFields: () => readonly UnknownField[];
  /** Returns the numbers of unknown reads so far, by step. */
  readonly unknownReads: () => readonly UnknownReads[];
}

/** What one past run read. */
export interface PastRunReads {
  /**
   * The items that were added between the previous run and this one. If an item was removed and
   * added again, the new item replaces the old one.
   */
  readonly added: readonly Item[];
  /** Returns the ID of the past step that made the read of a step; undefined if no step made it. */
  readonly pastStep: (step: string) => string | undefined;
  /**
   * Returns the answers of the sources to a step in the past run. Omits items that the run did not
   * read, and items without a known reading.
   */
  readonly answer: (request: StepReadRequest) => StepAnswer[];
  /**
   * Applies the history points of this run to the known values of the items, so that the next run
   * can begin.
   */
  readonly pass: () => void;
}

interface PastReadsOptions {
  /** Time at which the watchlist was created, ISO 8601. */
  readonly createdAt: string;
  /** The items as stored now. */
  readonly present: readonly Item[];
  /** The first run to repeat and all later runs, oldest first. */
  readonly later: readonly PastRun[];
  /** The tested pipeline. */
  readonly pipeline: Pipeline;
}

/**
 * Restores, in memory, the items of a watchlist as they were before the first run in `later`: takes
 * today's items, and reverts the changes that the runs in `later` recorded, newest run first. The
 * result also returns the answers that each of these runs read. An item that was delisted and added
 * again starts each of its lives as a new item.
 */
export function pastReads({ createdAt, present, later, pipeline }: PastReadsOptions): PastReads {
  const lives = pastLives(present, later);
  const state = stateBefore(present, later, lives);
  const items = present.map((item) => pastItem(item, state));
  const listed = new Set<string>();
  const unknown = new Map<string, UnknownField>();
  const unknownReads = new Map<string, number>();
  return {
    items,
    begin(past) {
      const added = itemsAdded({ past, createdAt, items, lives }, listed);
      for (const { id } of added) {
        if (!lives.renewed.has(id)) continue;
        state.known.set(id, new Map());
        state.delisted.delete(id);
      }
      const steps = pastStepsOf(pipeline, past.run.pipeline);
      const reader: Reader = { past, steps, madeReads: new Map(), state, unknown, unknownReads };
      return {
        added,
        pastStep: (step) => steps.get(step)?.id,
        answer: ({ items: asked, step }) =>
          asked
            .filter((item) => isReadable(item, step))
            .flatMap((item) => answerOf(item, step, reader) ?? []),
        pass() {
          for (const point of [...past.points.values()].flat()) applyPoint(past, point, state);
        },
      };
    },
    isLeftOut: lives.isLeftOut,
    unknownFields: () => [...unknown.values()],
    unknownReads: () => [...unknownReads].map(([step, reads]) => ({ step, reads })),
  };
}

interface Adding extends Pick<PastReadsOptions, "createdAt"> {
  readonly past: PastRun;
  readonly items: readonly Item[];
  readonly lives: PastLives;
}

/**
 * Returns the items that were added between the previous run and this one.
 * @param listed the IDs of the items that were added in their current life; this function adds the
 * IDs of the present items that it returns
 */
function itemsAdded(
  { past, createdAt, items, lives }: Adding,
  listed: Set<string>,
): readonly Item[] {
  const { runNumber, startedAt } = past.run;
  const earlier = lives.beginning.get(runNumber) ?? [];
  const present = items.filter((item) => {
    const from = lives.renewed.get(item.id);
    return (
      !listed.has(item.id) &&
      (from === undefined ? isAdded(item, { ...past, createdAt }) : runNumber >= from)
    );
  });
  for (const { id } of present) listed.add(id);
  return [...earlier.map((id) => newItem(id, startedAt)), ...present];
}

/**
 * Returns true if an item was added before a run. The item's time and the run's time can be from
 * different clocks, so other evidence is checked too.
 */
const isAdded = (
  { id, addedAt }: Item,
  { run, points, createdAt }: PastRun & Pick<PastReadsOptions, "createdAt">,
): boolean =>
  addedAt <= run.startedAt ||
  // Each run starts after the watchlist was created with its first items.
  addedAt === createdAt ||
  // An item that the run read must have been added before the run.
  (points.has(id) && addedAt <= (run.finishedAt ?? run.startedAt));

/** The reads that a repeated run has made of an item. */
interface MadeReads {
  /** IDs of the past steps that made these reads. */
  readonly steps: Set<string>;
  /** Position of the last of these past steps in the run order of the past pipeline. */
  position: number;
}

interface Reader {
  readonly past: PastRun;
  /** The past steps, by ID of the tested step that they replace. */
  readonly steps: ReadonlyMap<string, PastStep>;
  /** The reads that the run has made so far, by item ID. */
  readonly madeReads: Map<string, MadeReads>;
  readonly state: PastState;
  readonly unknown: Map<string, UnknownField>;
  readonly unknownReads: Map<string, number>;
}

/**
 * Returns true if the item can be read at the step. An offer check needs a known offer of the item.
 */
const isReadable = ({ buyboxOfferId }: StepReadRequest["items"][number], step: Step): boolean =>
  readingKind(step) !== "offer_check" || buyboxOfferId !== null;

/**
 * Returns the answer of the source for an item in the past run. Returns undefined if the run did
 * not read the item, or if the history has no values of the read.
 */
function answerOf(
  { id, buyboxOfferId }: StepReadRequest["items"][number],
  step: Step,
  reader: Reader,
): StepAnswer | undefined {
  const { past, state, unknown } = reader;
  const { pastStep, position } = pastReadOf(id, step, reader);
  const points = pointsUntil(past, id, position);
  const own = points.find((point) => point.step === pastStep);
  const status = statusOf(points, { own, isDelisted: state.delisted.has(id) });
  if (status === "skipped" || status === "deferred") return undefined;
  const quarters = priceOf(step, status);
  const head = { id, status, quarters, fetchedAt: own?.at ?? timeOf(past, pastStep) };
  if (status !== "ok") return { ...head, observed: null };
  const known = copyOf(state.known.get(id));
  for (const point of points) {
    writePoint(known, { point, kind: kindOf(past.run.pipeline, point.step), side: "after" });
  }
  if (known.size === 0) return undefined;
  const observed = snapshotOf(known.get(readingKind(step)) ?? new Map<string, FieldValue>());
  noteUnknown(unknown, step, observed);
  return { ...head, observed, ...offerIn(step, observed, buyboxOfferId) };
}

/**
 * Finds the past read that replaces a read of a step. Counts an unknown read in two cases: the past
 * pipeline has no such step, or the past read has already replaced another read of the item in this
 * run. Never returns an earlier position than the item's previous read, because values do not
 * change back.
 */
function pastReadOf(
  id: string,
  step: Step,
  { steps, madeReads, unknownReads }: Reader,
): { readonly pastStep: string | undefined; readonly position: number } {
  const past = steps.get(step.id);
  const reads = madeReads.get(id) ?? { steps: new Set<string>(), position: 0 };
  if (past === undefined || reads.steps.has(past.id)) {
    unknownReads.set(step.id, (unknownReads.get(step.id) ?? 0) + 1);
  }
  if (past !== undefined) reads.steps.add(past.id);
  reads.position = Math.max(reads.position, past?.position ?? Infinity);
  madeReads.set(id, reads);
  return { pastStep: past?.id, position: reads.position };
}

/**
 * Returns the points of an item in a past run, from the steps up to and including a position in the
 * run order.
 */
function pointsUntil({ run, points }: PastRun, id: string, position: number) {
  const own = points.get(id) ?? [];
  if (position === Infinity || own.length === 0) return own;
  const later = new Set(
    runOrder(run.pipeline)
      .slice(position + 1)
      .map((step) => step.id),
  );
  return own.filter(({ step }) => !later.has(step));
}

/** Returns the price of an answer in quarter-credits. An answer that failed is not charged. */
const priceOf = ({ scraper }: Step, status: StepAnswer["status"]): number =>
  status === "ok" || status === "not_found" ? stepScrapers[scraper].reserveQuarters : 0;

/**
 * Returns the status that the past step recorded. Without a recorded status, returns `not_found` if
 * the item was delisted before, and otherwise `ok`.
 */
function statusOf(
  points: readonly HistoryPoint[],
  { own, isDelisted }: { readonly own: HistoryPoint | undefined; readonly isDelisted: boolean },
): HistoryPoint["status"] {
  if (own !== undefined) return own.status;
  return isDelisted || points.some(({ status }) => status === "not_found") ? "not_found" : "ok";
}

/**
 * Returns the ID of the offer in the buy box after a read. The history of a product read has this
 * ID. The history of an offers read has only the seller, so the offer keeps the last known ID, or
 * gets the ID `unknownOffer` if no ID is known.
 */
function offerIn(
  step: Step,
  observed: Snapshot,
  known: string | null,
): Pick<StepAnswer, "buyboxOfferId"> {
  const isProduct = readingKind(step) === "product";
  const foundValue = observed[isProduct ? "offerListingId" : "buyboxSeller"];
  if (foundValue === null) return { buyboxOfferId: null };
  if (typeof foundValue !== "string") return {};
  return { buyboxOfferId: isProduct ? foundValue : (known ?? unknownOffer) };
}

/** Placeholder for an offer ID that the history lacks. No event contains this value. */
const unknownOffer = "unknown";

/**
 * Returns the time at which a past step read: the time of one of its points, or the start of the
 * run if it has no point.
 */
function timeOf({ run, points }: PastRun, pastStep: string | undefined): string {
  for (const [point] of points.values())
    if (point !== undefined && point.step === pastStep) return point.at;
  return run.startedAt;
}

/** Adds to `unknown` each field of the step that the restored read `observed` lacks. */
function noteUnknown(unknown: Map<string, UnknownField>, step: Step, observed: Snapshot): void {
  const { fieldTypes, derivedFields } = stepScrapers[step.scraper];
  for (const field of Object.keys(fieldTypes)) {
    if (derivedFields.includes(field) || observed[field] !== undefined) continue;
    unknown.set(`${step.id} ${field}`, { step: step.id, field });
  }
}
