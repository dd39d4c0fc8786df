import { limits } from "../base/limits.ts";
import { type ReadingKind, type StepScraperId, stepScrapers } from "../scrapers/catalog.ts";
import type { ConditionFilter } from "../scrapers/offer.ts";

/** Outcomes of a read that a route can select (specification, section "Pipeline"). */
export const whens = [
  "new",
  "changed",
  "unchanged",
  "ok",
  "failed",
  "not_found",
  "always",
] as const;
export type When = (typeof whens)[number];

/** Operators of a field test that compare with `value`. */
export const valueOps = ["below", "above", "is", "is_not"] as const;
export type ValueOp = (typeof valueOps)[number];

/**
 * Operators of a field test. `increased` and `decreased` compare the field with its earlier value,
 * the reference value of the route. The other operators compare the field with `value`.
 */
export const ops = ["increased", "decreased", ...valueOps] as const;
export type Op = (typeof ops)[number];

/** A value that a client stores with an item. */
export type MetadataValue = string | number | boolean;
/** The values that a client stores with an item, by key. */
export type Metadata = Readonly<Record<string, MetadataValue>>;

/** Pattern of a metadata key. */
export const metadataKeyPattern = new RegExp(
  `^[a-z0-9_]{1,${limits.itemLabels.metadataKeyLengthMax}}$`,
);

/**
 * Refers to a metadata value of an item. The item may lack the key, or have a value of another
 * type.
 */
export interface MetadataReference {
  readonly metadata: string;
}

/**
 * Refers to another field of the same read. A test compares its field with the value of that field.
 */
export interface FieldReference {
  readonly field: string;
}

/** The value with which a test compares a field. */
export type TestValue = MetadataValue | MetadataReference | FieldReference;

/** Returns true if a test compares its field with the value of another field. */
export const isFieldReference = (value: TestValue | undefined): value is FieldReference =>
  typeof value === "object" && "field" in value;

/** A test in `where` of a route. It tests a field of the same read. */
export interface FieldTest {
  readonly field: string;
  readonly op: ValueOp;
  readonly value: TestValue;
}

/**
 * A rule of a step. It selects items by the outcome of their read, and then routes or reports them.
 * Its keys have the names of the API, so that a release that does not know a stored key still
 * returns it under the correct name.
 */
export interface Route {
  readonly when: When;
  /**
   * Field that `op` tests. With `changed`, it is also the field that must change; absent for any
   * tracked field.
   */
  readonly field?: string;
  /** Operator of the test of `field`; absent if the route has no such test. */
  readonly op?: Op;
  /** Value with which `op` compares `field`; absent for `increased` and `decreased`. */
  readonly value?: TestValue;
  /** Further tests, which must all pass. */
  readonly where?: readonly FieldTest[];
  /** Minimum difference from the reference value, in the unit of the field. */
  readonly min_delta?: number;
  /** Minimum difference from the reference value, in percent of the reference value. */
  readonly min_delta_percent?: number;
  /** Number of reads in a row that must meet the condition. */
  readonly confirm?: number;
  /**
   * If true, an item matches when the condition becomes true, and then not again until the
   * condition has been false.
   */
  readonly once?: boolean;
  /** Minimum time between two notifications about an item, such as `6h`. */
  readonly cooldown?: string;
  /** ID of the step to which matching items are routed. */
  readonly run?: string;
  /** If true, events report the matching items. */
  readonly notify?: boolean;
}

/** Returns true if a test compares its field with metadata of the item. */
export const isMetadataReference = (value: TestValue | undefined): value is MetadataReference =>
  typeof value === "object" && "metadata" in value;

/** One read of a pipeline: its scraper, and the routes of what it reads. */
export interface Step {
  /** ID that is unique in the pipeline. */
  readonly id: string;
  readonly scraper: StepScraperId;
  /** Condition filter of `retailer_a.offers`; absent for `all`. */
  readonly condition?: ConditionFilter;
  readonly routes: readonly Route[];
}

/** Returns true if a route of the step compares a field with metadata. */
export const testsMetadata = ({ routes }: Step): boolean =>
  routes.some(({ value, where = [] }) =>
    [value, ...where.map((test) => test.value)].some(isMetadataReference),
  );

/**
 * The steps that a run reads (specification, section "Pipeline"). `entry`, `baseline` and
 * `refresh.entry` are IDs of steps. If `baseline` is null, new items start at the entry.
 */
export interface Pipeline {
  readonly entry: string;
  readonly baseline: string | null;
  readonly refresh: { readonly everyRuns: number; readonly entry: string } | null;
  readonly steps: readonly Step[];
}

/**
 * Returns the step of a pipeline with this ID.
 * @throws Error if the pipeline has no such step
 */
export function stepOf(pipeline: Pipeline, id: string): Step {
  const step = pipeline.steps.find((candidate) => candidate.id === id);
  if (step === undefined)
    throw new Error(`Invariant broken: the pipeline must have a step '${id}'. Correct the code.`);
  return step;
}

/**
 * Returns the kind of reading that a step stores, such as a pulse or a full product. An offers step
 * has a separate kind for each condition filter.
 */
export function readingKind({ scraper, condition = "all" }: Step): ReadingKind {
  return condition === "all" ? stepScrapers[scraper].kind : `offers_${condition}`;
}

/**
 * Returns the IDs of the steps at which a run can start: entry, refresh entry and baseline, in this
 * order and without duplicates.
 */
export const startsOf = ({ entry, refresh, baseline }: Pipeline): readonly string[] => [
  ...new Set([entry, refresh?.entry ?? entry, baseline ?? entry]),
];

/**
 * Returns the steps in run order: each step after all steps that route to it. If several orders are
 * possible, the entry comes first, then the refresh entry, the baseline, and the other steps in the
 * order of the definition.
 * @throws Error if the steps form a loop
 */
export function runOrder(pipeline: Pipeline): readonly Step[] {
  const preferred = [...startsOf(pipeline), ...pipeline.steps.map(({ id }) => id)];
  const waiting = new Set(preferred);
  const order: Step[] = [];
  while (waiting.size > 0) {
    const awaited = new Set([...waiting].flatMap((id) => nextOf(stepOf(pipeline, id))));
    const next = [...waiting].find((id) => !awaited.has(id));
    if (next === undefined)
      throw new Error(
        "Invariant broken: the steps of a pipeline must not form a loop. Correct the code.",
      );
    waiting.delete(next);
    order.push(stepOf(pipeline, next));
  }
  return order;
}

/** Returns the IDs of the steps to which a step routes items, in route order, with duplicates. */
export const nextOf = ({ routes }: Pick<Step, "routes">): readonly string[] =>
  routes.flatMap(({ run }) => (run === undefined ? [] : [run]));
