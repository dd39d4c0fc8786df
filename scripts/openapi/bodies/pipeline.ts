import { opsFor, whensByKey, whensFor } from "../../../shared/pipelines/check-route.ts";
import { type Op, valueOps, type When } from "../../../shared/pipelines/definition.ts";
import { pipelineBody, routeBody, stepBody } from "../../../shared/pipelines/pipeline-body.ts";
import {
  type StepScraperId,
  stepScraperIds,
  stepScrapers,
} from "../../../shared/scrapers/catalog.ts";
import type { JsonObject } from "../../../tools/documents/json-schema.ts";
import { byValue, forbidFields, requireField, where } from "../rules.ts";

/** Operators that compare with the last known value, and therefore take no value. */
const againstLastRead: readonly Op[] = ["increased", "decreased"];

/** The rule that a key applies only with some values of `when`. */
const onlyWhen = (accepted: readonly When[]): JsonObject => ({
  properties: { when: { enum: accepted } },
});

/** The rules of a route that do not depend on the scraper of its step. */
const routeRules: JsonObject = {
  // A route leads to a step, or notifies, or both.
  if: requireField("run"),
  else: { properties: { notify: { const: true } }, required: ["notify"] },
  dependentRequired: {
    op: ["field"],
    value: ["op"],
    min_delta: ["field"],
    min_delta_percent: ["field"],
  },
  dependentSchemas: {
    when: where("when", ["changed", "ok"], {
      rules: where("when", ["ok"], {
        rules: { dependentRequired: { field: ["op"] }, properties: { op: { enum: valueOps } } },
      }),
      otherwise: forbidFields("field", "op", "value"),
    }),
    op: where("op", againstLastRead, {
      rules: forbidFields("value"),
      otherwise: requireField("value"),
    }),
    where: onlyWhen(whensByKey.where),
    min_delta: onlyWhen(whensByKey.min_delta),
    min_delta_percent: onlyWhen(whensByKey.min_delta_percent),
    confirm: onlyWhen(whensByKey.confirm),
    once: where("once", [true], {
      rules: {
        ...onlyWhen(whensByKey.once),
        ...where("when", ["ok"], { rules: { anyOf: [requireField("op"), requireField("where")] } }),
      },
    }),
    cooldown: { properties: { notify: { const: true } }, required: ["notify"] },
  },
};

/** Returns the rules of a step's routes that depend on the fields of its scraper. */
function routeRulesOf(id: StepScraperId): JsonObject {
  const { fieldTypes } = stepScrapers[id];
  const fields = Object.entries(fieldTypes).map(([name, type]) => ({
    name,
    whens: whensFor(id, name),
    type,
  }));
  const testable = fields.filter(({ whens }) => whens.length > 0);
  const kinds = Map.groupBy(testable, ({ type, whens }) => JSON.stringify({ type, whens }));
  const cases = [...kinds.values()].flatMap((alike) => {
    const [first] = alike;
    if (first === undefined) return [];
    const { type, whens } = first;
    return [
      {
        values: alike.map(({ name }) => name),
        rules: {
          properties: {
            when: { enum: whens },
            op: { enum: opsFor(type, whens) },
            value: { type: [type, "object"] },
          },
          ...(type !== "number" && forbidFields("min_delta", "min_delta_percent")),
        },
      },
    ];
  });
  return {
    properties: {
      field: { enum: testable.map(({ name }) => name) },
      where: { items: whereRulesOf(id) },
    },
    dependentSchemas: { field: byValue("field", cases) },
  };
}

/** Returns the JSON Schema rules for a test in `where` of a route, if its step has this scraper. */
function whereRulesOf(id: StepScraperId): JsonObject {
  const fields = Object.entries(stepScrapers[id].fieldTypes).filter(([name]) =>
    whensFor(id, name).includes("ok"),
  );
  const cases = [...Map.groupBy(fields, ([, type]) => type)].map(([type, alike]) => ({
    values: alike.map(([name]) => name),
    rules: {
      properties: { op: { enum: opsFor(type, ["ok"]) }, value: { type: [type, "object"] } },
    },
  }));
  return {
    properties: { field: { enum: fields.map(([name]) => name) } },
    dependentSchemas: { field: byValue("field", cases) },
  };
}

/** The rules of steps by scraper. Scrapers with equal rules share one case. */
const scraperCases = [
  ...Map.groupBy(stepScraperIds, (id) => JSON.stringify(routeRulesOf(id))).values(),
].map((alike) => ({
  values: alike,
  rules: {
    properties: { routes: { items: alike[0] === undefined ? {} : routeRulesOf(alike[0]) } },
  },
}));

const conditional = stepScraperIds.filter((id) => stepScrapers[id].kind === "offers");

/** A pipeline as clients send it. */
export const pipelineBodies = {
  NewPipeline: { schema: pipelineBody, rules: {} },
  NewPipelineStep: {
    schema: stepBody,
    rules: {
      dependentSchemas: {
        scraper: byValue("scraper", scraperCases),
        condition: { properties: { scraper: { enum: conditional } } },
      },
    },
  },
  NewPipelineRoute: { schema: routeBody, rules: routeRules },
};

/** Returns the JSON Schema rule that all steps of a pipeline have scrapers of `platform`. */
export const platformSteps = (platform: string): JsonObject => ({
  properties: {
    steps: {
      items: {
        properties: {
          scraper: { enum: stepScraperIds.filter((id) => stepScrapers[id].platform === platform) },
        },
      },
    },
  },
});
