import * as v from "valibot";
import { secondsOf } from "../base/duration.ts";
import { limits } from "../base/limits.ts";
import { didYouMean } from "../base/nearest.ts";
import { formatValue, addRefusedValue } from "../base/shown-value.ts";
import { oneOf } from "../base/valid-values.ts";
import { lengthOf, visiblePattern, visibleText } from "../base/visible-text.ts";
import { stepScraperIds } from "../scrapers/catalog.ts";
import { conditionFilters } from "../scrapers/offer.ts";
import { metadataKeyPattern, ops, valueOps, whens } from "./definition.ts";
import { meaning } from "./pipeline-schema.ts";

/** Pattern of a name that is short and plain enough to occur in an error message. */
export const plainName = /^[\w.-]{1,64}$/;

/**
 * Creates the schema of an object that refuses unknown keys, because an unknown key may be a typing
 * error.
 */
function strict<Entries extends v.ObjectEntries>(what: string, entries: Entries) {
  const keys = Object.keys(entries);
  const notAnObject = addRefusedValue(
    `${what} must be an object with the keys ${keys.join(", ")}.`,
  );
  return v.strictObject(entries, ({ expected, input }) => {
    if (expected !== "never") return notAnObject({ input });
    const name = typeof input === "string" && plainName.test(input) ? input : undefined;
    return (
      `${what} has an unknown key${name === undefined ? "" : ` '${name}'`}. ` +
      `Accepted keys: ${keys.join(", ")}.${didYouMean(name ?? "", keys)}`
    );
  });
}

const {
  stepsMax,
  routesMax,
  stepIdLengthMax,
  valueLengthMax,
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
  const message = addRefusedValue(
    `'${name}' must be the ID of a step: 1 to ${stepIdLengthMax} letters, digits, '-' and '_', ` +
      "beginning with a letter or digit.",
  );
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

const everyRunsMessage = addRefusedValue(
  `'every_runs' must be a whole number from ${refreshEveryRunsMin} to ${refreshEveryRunsMax}.`,
);
const smallMessage = addRefusedValue(
  `A number in 'value' must be 0, or have an absolute value of at least ${valueMin}.`,
);
const numberMessage = addRefusedValue(
  `A number in 'value' must be from -${valueMax} to ${valueMax}.`,
);

/** Schema of a value with which a test compares a field. */
const valueBody = v.union(
  [
    v.pipe(
      v.number(),
      v.minValue(-valueMax, numberMessage),
      v.maxValue(valueMax, numberMessage),
      v.check((value) => value === 0 || Math.abs(value) >= valueMin, smallMessage),
      v.metadata({
        not: { exclusiveMinimum: -valueMin, exclusiveMaximum: valueMin, not: { const: 0 } },
      }),
    ),
    v.boolean(),
    v.pipe(
      v.string(),
      v.check(
        (text) => lengthOf(text) <= valueLengthMax,
        ({ input }) =>
          `'value' must have at most ${valueLengthMax} characters (got ${lengthOf(input)}). Shorten it.`,
      ),
      visibleText("value"),
      v.metadata({ maxLength: valueLengthMax, pattern: visiblePattern }),
    ),
    v.strictObject({
      metadata: v.pipe(v.string(), v.regex(metadataKeyPattern), v.description(meaning.metadataKey)),
    }),
    v.strictObject({ field: v.pipe(v.string(), v.description(meaning.comparedField)) }),
  ],
  ({ input }) => valueRefusal(input),
);

function valueRefusal(input: unknown): string {
  if (typeof input === "object" && input !== null && "metadata" in input) {
    const unknown = Object.keys(input).find((key) => key !== "metadata");
    if (unknown !== undefined) {
      return (
        `'value' with 'metadata' must have no other key (got ${formatValue(unknown)}). Remove this key, or ` +
        "'metadata'."
      );
    }
    return (
      `'metadata' in 'value' must be a metadata key: 1 to ${limits.itemLabels.metadataKeyLengthMax} ` +
      `lower-case letters, digits and '_' (got ${formatValue(input.metadata)}).`
    );
  }
  return (
    "'value' must be a number, true, false, a string, or an object such as " +
    `{"metadata": "target_price"} or {"field": "lowest30d"} (got ${formatValue(input)}).`
  );
}

const whereMessage = addRefusedValue(`'where' must be an array of 1 to ${whereMax} tests.`);
const fieldMessage = addRefusedValue("'field' must be the name of a field.");

const whereBody = v.pipe(
  v.array(
    strict("A test of 'where'", {
      field: v.pipe(v.string(fieldMessage), v.description(meaning.whereField)),
      op: v.pipe(oneOf("op", valueOps), v.description(meaning.whereOp)),
      value: v.pipe(valueBody, v.description(meaning.whereValue)),
    }),
    whereMessage,
  ),
  v.minLength(1, whereMessage),
  v.maxLength(whereMax, whereMessage),
  v.description(meaning.where),
);

/** Creates the schema of a minimum difference: a number greater than 0. */
function deltaBody(name: "min_delta" | "min_delta_percent", description: string) {
  const message = addRefusedValue(`'${name}' must be a number from ${valueMin} to ${valueMax}.`);
  return v.pipe(
    v.number(message),
    v.minValue(valueMin, message),
    v.maxValue(valueMax, message),
    v.description(description),
  );
}

const confirmMessage = addRefusedValue(
  `'confirm' must be a whole number from ${confirmMin} to ${confirmMax}.`,
);
const cooldownMessage = addRefusedValue(
  "'cooldown' must be a time from 5m to 30d: a whole number with m, h or d, such as 6h.",
);
/** Pattern of `cooldown` for the OpenAPI document: 5 to 43,200 m, 1 to 720 h, or 1 to 30 d. */
const cooldownPattern =
  "^(?:(?:[5-9]|[1-9][0-9]{1,3}|[1-3][0-9]{4}|4[0-2][0-9]{3}|43[01][0-9]{2}|43200)m" +
  "|(?:[1-9][0-9]?|[1-6][0-9]{2}|7[01][0-9]|720)h|(?:[1-9]|[12][0-9]|30)d)$";

function isCooldown(text: string): boolean {
  const seconds = secondsOf(text) ?? 0;
  return seconds >= cooldownSecondsMin && seconds <= cooldownSecondsMax;
}

/** Schema of a route in request bodies. */
export const routeBody = strict("A route", {
  when: namedOneOf("when", whens),
  field: v.exactOptional(v.pipe(v.string(fieldMessage), v.description(meaning.field))),
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
    v.pipe(
      v.boolean(addRefusedValue("'once' must be true or false.")),
      v.description(meaning.once),
    ),
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
    v.pipe(
      v.boolean(addRefusedValue("'notify' must be true or false.")),
      v.description(meaning.notify),
    ),
  ),
});

/** Schema of a step in request bodies. */
export const stepBody = strict("A step", {
  id: stepId("id", "stepId"),
  scraper: namedOneOf("scraper", stepScraperIds),
  condition: v.exactOptional(namedOneOf("condition", conditionFilters)),
  routes: v.optional(
    v.pipe(
      v.array(routeBody, addRefusedValue("'routes' must be an array of routes.")),
      v.maxLength(
        routesMax,
        ({ input }) =>
          `'routes' must have at most ${routesMax} routes (got ${input.length}). Remove some.`,
      ),
    ),
    [],
  ),
});

/**
 * Schema of a pipeline in request bodies. It checks each key alone; `parsePipeline` also checks
 * whether the keys fit together.
 */
export const pipelineBody = v.pipe(
  strict("A pipeline", {
    steps: v.pipe(
      v.array(stepBody, addRefusedValue("'steps' must be an array of steps.")),
      v.minLength(1, `'steps' must have 1 to ${stepsMax} steps (got none). Add a step.`),
      v.maxLength(
        stepsMax,
        ({ input }) =>
          `'steps' must have 1 to ${stepsMax} steps (got ${input.length}). Remove some.`,
      ),
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
