import * as v from "valibot";
import { stepScraperIds } from "../scrapers/catalog.ts";
import { conditionFilters } from "../scrapers/offer.ts";
import { ops, valueOps, whens } from "./definition.ts";

/** The value of a field in API responses. */
export const fieldValue = v.union([v.string(), v.number(), v.boolean(), v.null()]);

/** A snapshot in API responses and events. */
export const snapshotSchema = v.pipe(
  v.record(v.string(), fieldValue),
  v.title("Snapshot"),
  v.description("Values by tracked field. A field that was never read is absent."),
);

/** Changed fields in API responses and events. */
export const changesSchema = v.pipe(
  v.record(v.string(), v.object({ before: fieldValue, after: fieldValue })),
  v.title("Changes"),
  v.description("Values before and after, by changed field."),
);

/** Descriptions of the keys of a pipeline, in bodies and in API responses. */
export const meaning = {
  entry: "ID of the step at which a run starts, unless it is a refresh run.",
  baseline:
    "ID of the step at which items without a first read start. Null if they start at the entry.",
  refresh:
    "Makes every Nth run start at another step. Null if no run does. If a refresh run is skipped for lack of " +
    "credits, or fails before it reads that step, the next run is a refresh run instead, even a manual one. The " +
    "numbers of later refresh runs do not shift.",
  everyRuns: "Every run whose `run_number` is a multiple of this number is a refresh run.",
  refreshEntry: "ID of the step at which a refresh run starts.",
  stepId: "ID of the step in routes, run statistics and events.",
  scraper: "Scraper that reads the items of the step.",
  condition: "Offers to count; for retailer_a.offers only. Default: all.",
  when: "Outcomes of the read that the route selects.",
  field:
    "With `when` `changed`: only a change of this field counts. With `when` `ok`: the field that `op` tests.",
  op: "How the field is tested: against its last known value (`increased`, `decreased`), or against `value`.",
  value:
    "Value with which `below`, `above`, `is` and `is_not` compare the field. Has the type of the field, or is " +
    '{"metadata": key}: the metadata of the item. An item without this key, or with another type, does not match. {"field": name} is another field of the same read.',
  where: "Further tests of values of the same read. All must pass.",
  whereField: "Field of the step's scraper.",
  whereOp: "How the field is compared with `value`.",
  whereValue:
    'Value with which `op` compares the field. Has the type of the field, or is {"metadata": key} or {"field": name}.',
  comparedField:
    "Another field of the step's scraper. The tested field is compared with its value.",
  metadataKey:
    "Key of the item's metadata. The tested field is compared with the value of this key.",
  minDelta:
    "Minimum difference from the value that this route notified last, in the field's unit. Only with " +
    "`when` `changed` and a numeric field. Small changes add up until they reach this difference.",
  minDeltaPercent:
    "Minimum difference from the value that this route notified last, in percent of that value. Only " +
    "with `when` `changed` and a numeric field.",
  confirm: "Number of reads in a row that must meet the condition before an item matches.",
  once:
    "True: an item matches when the condition becomes true, and again only after a read found it " +
    "false. Only with `when` `ok` and a test, or with `unchanged` or `failed`.",
  cooldown:
    "Time after a notification in which the route does not notify about the same item again: 5m to " +
    "30d. A change in this time is reported after the cooldown, if the change still holds. Does not delay `run`.",
  run: "ID of the step to which matching items are routed, in the same run.",
  notify: "True: events report the matching items.",
} as const;

/**
 * Creates the schema of a string in responses. In this release, the string has one of `values`. The
 * schema accepts every string, because later releases may add values.
 */
export const openSet = (values: readonly string[], description: string): v.GenericSchema<string> =>
  v.pipe(
    v.string(),
    v.description(`${description} More values may be added.`),
    v.examples([...values]),
  );

const describe = <Schema extends v.GenericSchema>(
  schema: Schema,
  what: keyof typeof meaning,
): v.SchemaWithPipe<readonly [Schema, v.DescriptionAction<v.InferOutput<Schema>, string>]> =>
  v.pipe(schema, v.description(meaning[what]));

const testedValue = v.union([
  v.number(),
  v.boolean(),
  v.string(),
  v.object({ metadata: describe(v.string(), "metadataKey") }),
  v.object({ field: describe(v.string(), "comparedField") }),
]);

const routeSchema = v.object({
  when: openSet(whens, meaning.when),
  field: v.optional(describe(v.string(), "field")),
  op: v.optional(openSet(ops, meaning.op)),
  value: v.optional(describe(testedValue, "value")),
  where: v.optional(
    describe(
      v.array(
        v.object({
          field: describe(v.string(), "whereField"),
          op: openSet(valueOps, meaning.whereOp),
          value: describe(testedValue, "whereValue"),
        }),
      ),
      "where",
    ),
  ),
  min_delta: v.optional(describe(v.number(), "minDelta")),
  min_delta_percent: v.optional(describe(v.number(), "minDeltaPercent")),
  confirm: v.optional(describe(v.pipe(v.number(), v.integer()), "confirm")),
  once: v.optional(describe(v.boolean(), "once")),
  cooldown: v.optional(describe(v.string(), "cooldown")),
  run: v.optional(describe(v.string(), "run")),
  notify: v.optional(describe(v.boolean(), "notify")),
});

/** A pipeline in API responses (specification, section "Pipeline"). */
export const pipelineSchema = v.pipe(
  v.object({
    entry: describe(v.string(), "entry"),
    baseline: v.nullable(describe(v.string(), "baseline")),
    refresh: v.nullable(
      describe(
        v.object({
          every_runs: describe(v.pipe(v.number(), v.integer()), "everyRuns"),
          entry: describe(v.string(), "refreshEntry"),
        }),
        "refresh",
      ),
    ),
    steps: v.array(
      v.object({
        id: describe(v.string(), "stepId"),
        scraper: openSet(stepScraperIds, meaning.scraper),
        condition: v.optional(openSet(conditionFilters, meaning.condition)),
        routes: v.array(routeSchema),
      }),
    ),
  }),
  v.title("Pipeline"),
);

export type PipelineRecord = v.InferOutput<typeof pipelineSchema>;
