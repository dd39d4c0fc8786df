import * as v from "valibot";
import { secondsOf } from "../base/duration.ts";
import { limits } from "../base/limits.ts";
import { oneOf } from "../base/valid-values.ts";
import { stepScraperIds } from "../scrapers/catalogue.ts";
import { conditionFilters } from "../scrapers/offer.ts";
import { ops, valueOps, whens } from "./definition.ts";
import { strict } from "./strict-object.ts";
import { referenceMeaning, valueBody } from "./value-body.ts";

const fieldValue = v.union([v.string(), v.number(), v.boolean(), v.null()]);

/** A snapshot in API answers and events. */
export const snapshotSchema = v.pipe(
  v.record(v.string(), fieldValue),
  v.title("Snapshot"),
  v.description("Values by tracked field. A field that was never read is absent."),
);

/** Changed fields in API answers and events. */
export const changesSchema = v.pipe(
  v.record(v.string(), v.object({ before: fieldValue, after: fieldValue })),
  v.title("Changes"),
  v.description("Values before and after, by changed field."),
);

const meaning = {
  entry: "ID of the step at which every run starts.",
  baseline: "ID of the step at which items without a first read start. Null: the entry.",
  refresh:
    "Makes every Nth run start at another step. Null: never. If a refresh run is skipped for lack of " +
    "credits, or fails before this step, the next run is a refresh run instead, even a manual one. The " +
    "numbers of later refresh runs do not shift.",
  everyRuns: "Every run whose `run_number` is a multiple of this is a refresh run.",
  refreshEntry: "ID of the step at which a refresh run starts.",
  stepId: "ID of the step in routes, run statistics and events.",
  scraper: "Scraper that reads the items of the step.",
  condition: "Offers to count; for retailer_a.offers only. Default: all.",
  when: "Outcomes of the read that the route selects.",
  field: "With changed: only a change to this field counts. With ok: the field that op tests.",
  op: "How field is tested: against the last known value (increased, decreased), or against value.",
  value:
    "Value that below, above, is and is_not compare the field with, or the name of another field of " +
    "the same read. Has the type of the field.",
  where: "Further tests of values of the same read. All must pass.",
  whereField: "Field of the step's scraper.",
  whereOp: "How field is compared with value.",
  whereValue:
    "Value that op compares the field with, or the name of another field of the same read. Has the type " +
    "of the field.",
  minDelta:
    "Least difference from the value that this route notified last, in the field's unit; for changed " +
    "with a numeric field. Small changes add up until they reach it.",
  minDeltaPercent: "The same in percent of the value that this route notified last.",
  confirm: "Number of reads in a row that must meet the condition before an item matches.",
  once:
    "True: an item matches when the condition becomes true, and again only after a read found it " +
    "false. For ok with a test, unchanged and failed.",
  cooldown:
    "Time after a notification in which the route does not notify about the same item again: 5m to " +
    "30d. A change in this time is reported after it, if it still holds. Does not delay run.",
  run: "ID of the step to which matching items are routed, in the same run.",
  notify: "True: matching items are sent to the webhook.",
} as const;

/**
 * Schema of a string that has these values now. Later releases may add values, so clients must
 * accept others.
 */
export const openSet = (values: readonly string[], description: string): v.GenericSchema<string> =>
  v.pipe(
    v.string(),
    v.description(`${description} More values may be added.`),
    v.examples([...values]),
  );

const shown = <Schema extends v.GenericSchema>(
  schema: Schema,
  what: keyof typeof meaning,
): v.SchemaWithPipe<readonly [Schema, v.DescriptionAction<v.InferOutput<Schema>, string>]> =>
  v.pipe(schema, v.description(meaning[what]));

const testedValue = v.union([
  v.number(),
  v.boolean(),
  v.string(),
  v.object({ field: v.pipe(v.string(), v.description(referenceMeaning)) }),
]);

const routeSchema = v.object({
  when: openSet(whens, meaning.when),
  field: v.optional(shown(v.string(), "field")),
  op: v.optional(openSet(ops, meaning.op)),
  value: v.optional(shown(testedValue, "value")),
  where: v.optional(
    shown(
      v.array(
        v.object({
          field: shown(v.string(), "whereField"),
          op: openSet(valueOps, meaning.whereOp),
          value: shown(testedValue, "whereValue"),
        }),
      ),
      "where",
    ),
  ),
  min_delta: v.optional(shown(v.number(), "minDelta")),
  min_delta_percent: v.optional(shown(v.number(), "minDeltaPercent")),
  confirm: v.optional(shown(v.pipe(v.number(), v.integer()), "confirm")),
  once: v.optional(shown(v.boolean(), "once")),
  cooldown: v.optional(shown(v.string(), "cooldown")),
  run: v.optional(shown(v.string(), "run")),
  notify: v.optional(shown(v.boolean(), "notify")),
});

/** A pipeline in API answers (specification, section "Pipeline"). */
export const pipelineSchema = v.pipe(
  v.object({
    entry: shown(v.string(), "entry"),
    baseline: v.nullable(shown(v.string(), "baseline")),
    refresh: v.nullable(
      shown(
        v.object({
          every_runs: shown(v.pipe(v.number(), v.integer()), "everyRuns"),
          entry: shown(v.string(), "refreshEntry"),
        }),
        "refresh",
      ),
    ),
    steps: v.array(
      v.object({
        id: shown(v.string(), "stepId"),
        scraper: openSet(stepScraperIds, meaning.scraper),
        condition: v.optional(openSet(conditionFilters, meaning.condition)),
        routes: v.array(routeSchema),
      }),
    ),
  }),
  v.title("Pipeline"),
);

export type PipelineRecord = v.InferOutput<typeof pipelineSchema>;

const {
  stepsMax,
  routesMax,
  stepIdLengthMax,
  valueMax,
  valueMin,
  refreshEveryRunsMin,
  refreshEveryRunsMax,
  whereMax,
  confirmMin,
  confirmMax,
  cooldownSecondsMin,
  cooldownSecondsMax,
} = limits.pipeline;

function stepId(name: string, what: keyof typeof meaning) {
  const message =
    `'${name}' must be the ID of a step: 1 to ${stepIdLengthMax} letters, digits, '-' and '_', ` +
    "beginning with a letter or digit.";
  return v.pipe(
    v.string(message),
    v.regex(new RegExp(`^[A-Za-z0-9][A-Za-z0-9_-]{0,${stepIdLengthMax - 1}}$`), message),
    v.description(meaning[what]),
  );
}

const namedOneOf = <const Values extends readonly string[]>(
  name: Extract<keyof typeof meaning, string>,
  values: Values,
) => v.pipe(oneOf(name, values), v.description(meaning[name]));

const everyRunsMessage = `'every_runs' must be a whole number from ${refreshEveryRunsMin} to ${refreshEveryRunsMax}.`;
const whereMessage = `'where' must be an array of 1 to ${whereMax} tests.`;

const whereBody = v.pipe(
  v.array(
    strict("A test of 'where'", {
      field: v.pipe(
        v.string("'field' must be the name of a field."),
        v.description(meaning.whereField),
      ),
      op: v.pipe(oneOf("op", valueOps), v.description(meaning.whereOp)),
      value: v.pipe(valueBody, v.description(meaning.whereValue)),
    }),
    whereMessage,
  ),
  v.minLength(1, whereMessage),
  v.maxLength(whereMax, whereMessage),
  v.description(meaning.where),
);

/** Schema of a minimum difference: a number greater than 0. */
function deltaBody(name: "min_delta" | "min_delta_percent", description: string) {
  const message = `'${name}' must be a number from ${valueMin} to ${valueMax}.`;
  return v.pipe(
    v.number(message),
    v.minValue(valueMin, message),
    v.maxValue(valueMax, message),
    v.description(description),
  );
}

const confirmMessage = `'confirm' must be a whole number from ${confirmMin} to ${confirmMax}.`;
const cooldownMessage =
  "'cooldown' must be a time from 5m to 30d: a whole number with m, h or d, such as 6h.";
/** Pattern of `cooldown` for the OpenAPI document: 5 to 43,200 minutes, and the same in h or d. */
const cooldownPattern =
  "^(?:(?:[5-9]|[1-9][0-9]{1,3}|[1-3][0-9]{4}|4[0-2][0-9]{3}|43[01][0-9]{2}|43200)m" +
  "|(?:[1-9][0-9]?|[1-6][0-9]{2}|7[01][0-9]|720)h|(?:[1-9]|[12][0-9]|30)d)$";

function isCooldown(text: string): boolean {
  const seconds = secondsOf(text) ?? 0;
  return seconds >= cooldownSecondsMin && seconds <= cooldownSecondsMax;
}

/** Schema of a route in bodies. */
export const routeBody = strict("A route", {
  when: namedOneOf("when", whens),
  field: v.exactOptional(
    v.pipe(v.string("'field' must be the name of a field."), v.description(meaning.field)),
  ),
  op: v.exactOptional(namedOneOf("op", ops)),
  value: v.exactOptional(v.pipe(valueBody, v.description(meaning.value))),
  where: v.exactOptional(whereBody),
  min_delta: v.exactOptional(deltaBody("min_delta", meaning.minDelta)),
  min_delta_percent: v.exactOptional(deltaBody("min_delta_percent", meaning.minDeltaPercent)),
  confirm: v.exactOptional(
    v.pipe(
      v.number(confirmMessage),
      v.integer(confirmMessage),
      v.minValue(confirmMin, confirmMessage),
      v.maxValue(confirmMax, confirmMessage),
      v.description(meaning.confirm),
    ),
  ),
  once: v.exactOptional(
    v.pipe(v.boolean("'once' must be true or false."), v.description(meaning.once)),
  ),
  cooldown: v.exactOptional(
    v.pipe(
      v.string(cooldownMessage),
      v.check(isCooldown, cooldownMessage),
      v.metadata({ pattern: cooldownPattern }),
      v.description(meaning.cooldown),
    ),
  ),
  run: v.exactOptional(stepId("run", "run")),
  notify: v.exactOptional(
    v.pipe(v.boolean("'notify' must be true or false."), v.description(meaning.notify)),
  ),
});

/** Schema of a step in bodies. */
export const stepBody = strict("A step", {
  id: stepId("id", "stepId"),
  scraper: namedOneOf("scraper", stepScraperIds),
  condition: v.exactOptional(namedOneOf("condition", conditionFilters)),
  routes: v.optional(
    v.pipe(
      v.array(routeBody, "'routes' must be an array of routes."),
      v.maxLength(routesMax, `A step can have at most ${routesMax} routes.`),
    ),
    [],
  ),
});

/**
 * Schema of a pipeline in bodies. It checks each key; `parsePipeline` also checks how they fit
 * together.
 */
export const pipelineBody = v.pipe(
  strict("A pipeline", {
    steps: v.pipe(
      v.array(stepBody, "'steps' must be an array of steps."),
      v.minLength(1, `'steps' is empty. A pipeline has 1 to ${stepsMax} steps.`),
      v.maxLength(stepsMax, `A pipeline can have at most ${stepsMax} steps.`),
    ),
    entry: v.exactOptional(
      v.pipe(stepId("entry", "entry"), v.description(`${meaning.entry} Default: the first step.`)),
    ),
    baseline: v.nullish(stepId("baseline", "baseline")),
    refresh: v.nullish(
      v.pipe(
        strict("'refresh'", {
          every_runs: v.pipe(
            v.number(everyRunsMessage),
            v.integer(everyRunsMessage),
            v.minValue(refreshEveryRunsMin, everyRunsMessage),
            v.maxValue(refreshEveryRunsMax, everyRunsMessage),
            v.description(meaning.everyRuns),
          ),
          entry: stepId("entry", "refreshEntry"),
        }),
        v.description(meaning.refresh),
      ),
    ),
  }),
  v.title("NewPipeline"),
  v.description("The steps that a run reads. Unknown keys are refused."),
);
