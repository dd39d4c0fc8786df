import type { HistoryPoint } from "../history/history.ts";
import { kindsSharing } from "../scrapers/shared-fields.ts";
import type { Item } from "../watchlists/item.ts";
import { kindOf, type PastRun } from "./past-run.ts";

/**
 * The earlier lives of items. A life of an item begins when the item is added to the watchlist, and
 * ends when the item is delisted or removed.
 */
export interface PastLives {
  /**
   * The items with an earlier life in the runs from the first repeated run on. For each item, the
   * number of the first run with a point of the current life; infinite if no run has read the item
   * in its current life.
   */
  readonly renewed: ReadonlyMap<string, number>;
  /** For each run number, the IDs of the items that begin an earlier life in this run. */
  readonly beginning: ReadonlyMap<number, readonly string[]>;
  /** Returns true if the run is in a life of the item that a back-test cannot repeat. */
  readonly isLeftOut: (id: string, runNumber: number) => boolean;
}

interface Life {
  /** Number of the first run with a point of this life. */
  readonly from: number;
  /** True if the life began after an earlier life that has points. */
  readonly isLater: boolean;
  /** The fields that points of this life have, each with the kind of its reading. */
  readonly fields: Set<string>;
  /**
   * True if the first point with values has no earlier values, so that it was the first read;
   * undefined if no point has values.
   */
  beganUnread: boolean | undefined;
  isDelisted: boolean;
}

/**
 * Finds the earlier lives of items. A life of an item begins when the item is added to the
 * watchlist, and ends when the item is delisted or removed. A back-test can repeat an earlier life
 * only if the history has the first read and the delisting of this life. The history does not
 * record when a user removed an item, so the result leaves out a life that ended with a removal.
 * @param present the items of the watchlist today
 * @param later the first run to repeat and all later runs, oldest first
 */
export function pastLives(present: readonly Item[], later: readonly PastRun[]): PastLives {
  const items = new Map(present.map((item) => [item.id, item]));
  const { lives, presentFrom } = livesOf(items, later);
  const isRepeatable = repeatableIn(later);
  const renewed = new Map<string, number>();
  const beginning = new Map<number, string[]>();
  const leftOut = new Set<Life>();
  for (const [id, own] of lives) {
    const from = presentFrom.get(id) ?? (isUnread(items.get(id)) ? Infinity : 0);
    const earlier = own.filter((life) => life.from < from && !isPresentUnread(life, from));
    if (earlier.length > 0) renewed.set(id, from);
    for (const life of earlier) {
      if (isRepeatable(life)) {
        beginning.set(life.from, [...(beginning.get(life.from) ?? []), id]);
      } else leftOut.add(life);
    }
  }
  return {
    renewed,
    beginning,
    isLeftOut(id, runNumber) {
      const life = lives.get(id)?.findLast(({ from }) => from <= runNumber);
      return life !== undefined && leftOut.has(life);
    },
  };
}

/** Returns all lives of each item, oldest first, and the first run of the current life. */
function livesOf(items: ReadonlyMap<string, Item>, later: readonly PastRun[]) {
  const lives = new Map<string, Life[]>();
  const presentFrom = new Map<string, number>();
  for (const past of later) {
    for (const [id, points] of past.points) {
      const item = items.get(id);
      if (item === undefined) continue;
      const own = lives.get(id) ?? [];
      const isFirst = points.some((point) => isFirstRead(item, point));
      const life = lifeAfter(own, past, { points, isFirst });
      if (life !== own.at(-1)) lives.set(id, [...own, life]);
      if (isFirst) presentFrom.set(id, life.from);
      addPoints(life, past, points);
    }
  }
  return { lives, presentFrom };
}

const isUnread = (item: Item | undefined): boolean => item?.firstReadAt === null;

/**
 * Returns true if a life is the current life of its item, of which all reads have failed so far.
 * @param presentFrom first run that read the item in its current life; infinite if there is none
 */
const isPresentUnread = ({ beganUnread, isDelisted }: Life, presentFrom: number): boolean =>
  presentFrom === Infinity && beganUnread === undefined && !isDelisted;

/** Returns true for the point of the first read of an item in its current life. */
const isFirstRead = ({ firstReadAt }: Item, { at, status, values }: HistoryPoint): boolean =>
  at === firstReadAt && (status === "ok" || status === "not_found") && !hasEarlierValue(values);

const hasEarlierValue = (values: HistoryPoint["values"]): boolean =>
  Object.values(values).some(({ before }) => before !== undefined);

interface RunPoints {
  readonly points: readonly HistoryPoint[];
  /** True if one of the points is the first read of the current life. */
  readonly isFirst: boolean;
}

/**
 * Returns the life to which the points of a run belong: the last life in `lives`, or a new life.
 */
function lifeAfter(lives: readonly Life[], past: PastRun, { points, isFirst }: RunPoints): Life {
  const life = lives.at(-1);
  const begins =
    life === undefined ||
    life.isDelisted ||
    (isFirst && life.beganUnread !== undefined) ||
    isReadAgain(life, past, points);
  if (!begins) return life;
  return {
    from: past.run.runNumber,
    isLater: life !== undefined,
    fields: new Set(),
    beganUnread: undefined,
    isDelisted: false,
  };
}

/** Returns true if a field with a known value is observed as if it were read for the first time. */
const isReadAgain = ({ fields }: Life, past: PastRun, points: readonly HistoryPoint[]): boolean =>
  points.some(({ step, values }) =>
    Object.entries(values).some(
      ([field, { before }]) =>
        before === undefined && keysOf(past, step, field).some((key) => fields.has(key)),
    ),
  );

/** Adds the points of a run to the life to which they belong. */
function addPoints(life: Life, past: PastRun, points: readonly HistoryPoint[]): void {
  for (const { step, status, values } of points) {
    if (status === "not_found") life.isDelisted = true;
    if (Object.keys(values).length === 0) continue;
    life.beganUnread ??= !hasEarlierValue(values);
    for (const field of Object.keys(values)) {
      for (const key of keysOf(past, step, field)) life.fields.add(key);
    }
  }
}

/**
 * Returns the keys of a field in `Life.fields`: one for each kind of reading that shares the field.
 */
function keysOf({ run }: PastRun, step: string, field: string): readonly string[] {
  const kind = kindOf(run.pipeline, step);
  return kind === undefined ? [] : kindsSharing(field, kind).map((one) => `${one} ${field}`);
}

/**
 * Creates a function that returns true for a life that begins and ends in the runs `later`. If the
 * first run is not the watchlist's first run, earlier runs may have read the item. The first
 * reading then proves that the item was new only if all runs read a single kind.
 */
function repeatableIn(later: readonly PastRun[]): (life: Life) => boolean {
  const pipelines = new Set(later.map(({ run }) => run.pipeline));
  const kinds = new Set(
    [...pipelines].flatMap((pipeline) => pipeline.steps.map(({ id }) => kindOf(pipeline, id))),
  );
  const isWhole = later[0]?.run.runNumber === 1;
  return ({ isDelisted, isLater, beganUnread }) =>
    isDelisted && (isWhole || isLater || (kinds.size === 1 && beganUnread === true));
}
