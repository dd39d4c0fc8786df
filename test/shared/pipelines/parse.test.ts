import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isServiceError, type ServiceError } from "../../../shared/base/errors.ts";
import { defaultPipeline, presentPipeline } from "../../../shared/pipelines/default.ts";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import { parsePipeline } from "../../../shared/pipelines/parse.ts";
import { type Platform, platforms } from "../../../shared/platforms/catalog.ts";
import { stepScraperIds } from "../../../shared/scrapers/catalog.ts";
import { anyPipeline } from "./any-pipeline.ts";

type Json = Readonly<Record<string, unknown>>;

const shop = { platform: "retailer_a", marketplace: "us" } as const;
const parse = (value: unknown, platform: Platform = "retailer_a"): Pipeline =>
  parsePipeline(value, { platform, marketplace: "us" });

function refused(act: () => unknown): Pick<ServiceError, "code" | "status" | "message"> & {
  readonly param: string | undefined;
} {
  try {
    act();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const { code, status, message, details } = error;
    return { code, status, message, param: details.param };
  }
  throw new Error("nothing was refused");
}

const lite = (id: string, ...routes: readonly Json[]): Json => ({
  id,
  scraper: "retailer_a.lite",
  routes,
});
const stepOn = (scraper: string, id: string, ...routes: readonly Json[]): Json => ({
  ...lite(id, ...routes),
  scraper,
});
const pipelineOf = (...steps: readonly Json[]): Json => ({ steps });
/** Returns a pipeline of one step with one route, which is `route` with `notify`. */
const withRoute = (route: Json, scraper = "retailer_a.lite"): Json =>
  pipelineOf(stepOn(scraper, "a", { notify: true, ...route }));
const always = (run: string): Json => ({ when: "always", run });

describe("a pipeline in a request", () => {
  it("starts at its first step, and by default has no baseline and no refresh", () => {
    expect(parse(pipelineOf(lite("a", always("b")), lite("b")))).toEqual({
      entry: "a",
      baseline: null,
      refresh: null,
      steps: [lite("a", always("b")), lite("b")],
    });
  });

  it("is accepted with null as baseline and refresh", () => {
    const pipeline = { ...pipelineOf(lite("a")), baseline: null, refresh: null };
    expect(parse(pipeline)).toMatchObject({ baseline: null, refresh: null });
  });

  it("has the entry, baseline and refresh of the request", () => {
    const pipeline = {
      entry: "b",
      baseline: "a",
      refresh: { every_runs: 1_000, entry: "c" },
      ...pipelineOf(lite("a"), lite("b"), lite("c")),
    };
    expect(parse(pipeline)).toMatchObject({
      entry: "b",
      baseline: "a",
      refresh: { everyRuns: 1_000, entry: "c" },
    });
  });

  it("is accepted with steps that have no routes", () => {
    const { steps } = parse(pipelineOf({ id: "a", scraper: "retailer_a.lite" }));
    expect(steps).toEqual([{ id: "a", scraper: "retailer_a.lite", routes: [] }]);
  });

  it("is accepted with ten steps, eight routes per step, and step IDs of 64 characters", () => {
    const steps = names(10).map((id, at) =>
      lite(id, ...notifyingRoutes(7), at < 9 ? always(`s${at + 1}`) : { when: "ok", notify: true }),
    );
    const named = pipelineOf(lite("a".repeat(64)));
    expect(parse({ steps }).steps).toHaveLength(10);
    expect(parse(named).entry).toHaveLength(64);
  });

  it("is named in errors by the name of its request parameter", () => {
    expect(refused(() => parsePipeline({ steps: [{}] }, shop, "body.plan")).param).toBe(
      "body.plan.steps[0].id",
    );
  });

  it.each(stepScraperIds)(
    "is accepted with the scraper %s on the platform of this scraper",
    (scraper) => {
      const platform = scraper.split(".")[0] as Platform;
      const first = platform === "retailer_a" ? "retailer_a.lite" : scraper;
      const pipeline = pipelineOf(stepOn(first, "a", always("b")), stepOn(scraper, "b"));
      expect(parse(pipeline, platform).steps[1]).toMatchObject({ scraper });
    },
  );
});

describe("a pipeline with a missing key", () => {
  it.each<[string, unknown]>([
    ["pipeline", undefined],
    ["pipeline.steps", {}],
    ["pipeline.steps[0].id", pipelineOf({ scraper: "retailer_a.lite" })],
    ["pipeline.steps[0].scraper", pipelineOf({ id: "a" })],
    ["pipeline.steps[0].routes[1].when", pipelineOf(lite("a", { when: "ok", notify: true }, {}))],
    ["pipeline.refresh.every_runs", { ...pipelineOf(lite("a")), refresh: { entry: "a" } }],
    ["pipeline.refresh.entry", { ...pipelineOf(lite("a")), refresh: { every_runs: 2 } }],
    ["pipeline.steps[0].routes[0].field", withRoute({ when: "ok", op: "below", value: 1 })],
    ["pipeline.steps[0].routes[0].op", withRoute({ when: "ok", field: "price" })],
    [
      "pipeline.steps[0].routes[0].value",
      withRoute({ when: "changed", field: "price", op: "below" }),
    ],
    ["pipeline.steps[0].routes[0].value", withRoute({ when: "ok", field: "inStock", op: "is" })],
  ])("is refused, and the error names '%s' (the pipeline: %j)", (param, value) => {
    expect(refused(() => parse(value))).toEqual({
      code: "MISSING_PARAM",
      status: 400,
      message: `Parameter '${param}' is required.`,
      param,
    });
  });
});

const names = (size: number): readonly string[] =>
  Array.from({ length: size }, (_, at) => `s${at}`);
const notifyingRoutes = (size: number): readonly Json[] =>
  Array.from({ length: size }, () => ({ when: "ok", notify: true }));

type Row = readonly [what: string, param: string, value: unknown, message: string];
const refusals = (rows: readonly Row[]) =>
  rows.map(([what, param, value, message]) => ({ what, param, value, message }));

describe("an invalid pipeline", () => {
  it.each(
    refusals([
      ["null instead of an object", "pipeline", null, "A pipeline must be an object"],
      ["a string instead of an object", "pipeline", "pulse", "A pipeline must be an object"],
      [
        "an array instead of an object",
        "pipeline",
        [lite("a")],
        "'pipeline' must be an object, not an array.",
      ],
      ["an object as 'steps'", "pipeline.steps", { steps: lite("a") }, "must be an array of steps"],
      [
        "an empty array of steps",
        "pipeline.steps",
        { steps: [] },
        "'steps' must have 1 to 10 steps (got none).",
      ],
      [
        "eleven steps",
        "pipeline.steps",
        { steps: names(11).map((id) => lite(id)) },
        "'steps' must have 1 to 10 steps (got 11).",
      ],
      ["a step that is an array", "pipeline.steps[0]", { steps: [[]] }, "must be an object"],
      [
        "a step that is a string",
        "pipeline.steps[0]",
        { steps: ["a"] },
        "A step must be an object",
      ],
      [
        "nine routes",
        "pipeline.steps[0].routes",
        pipelineOf(lite("a", ...notifyingRoutes(9))),
        "'routes' must have at most 8 routes (got 9).",
      ],
      [
        "an unknown key of the pipeline",
        "pipeline.step",
        { ...pipelineOf(lite("a")), step: 1 },
        "A pipeline has an unknown key 'step'. Accepted keys: steps, entry, baseline, refresh.",
      ],
      [
        "an unknown key of a step",
        "pipeline.steps[0].tier",
        pipelineOf({ ...lite("a"), tier: "lite" }),
        "A step has an unknown key 'tier'. Accepted keys: id, scraper, condition, routes.",
      ],
      [
        "an unknown key of a route",
        "pipeline.steps[0].routes[0].notfy",
        withRoute({ when: "ok", notfy: true }),
        "A route has an unknown key 'notfy'. Accepted keys: when, field, op, value, where, min_delta, min_delta_percent, confirm, once, cooldown, run, notify.",
      ],
      [
        "an unknown key of refresh",
        "pipeline.refresh.every",
        { ...pipelineOf(lite("a")), refresh: { every_runs: 2, entry: "a", every: 2 } },
        "'refresh' has an unknown key 'every'. Accepted keys: every_runs, entry.",
      ],
      [
        "an unknown key that is too long to repeat",
        "pipeline",
        { ...pipelineOf(lite("a")), ["<b>".repeat(1_000)]: 1 },
        "A pipeline has an unknown key. Accepted keys:",
      ],
      ["an empty step ID", "pipeline.steps[0].id", pipelineOf(lite("")), "1 to 64 letters"],
      ["a space in a step ID", "pipeline.steps[0].id", pipelineOf(lite("a b")), "1 to 64 letters"],
      [
        "a step ID of 65 characters",
        "pipeline.steps[0].id",
        pipelineOf(lite("a".repeat(65))),
        "1 to 64 letters",
      ],
      [
        "the step ID __proto__",
        "pipeline.steps[0].id",
        pipelineOf(lite("__proto__")),
        "beginning with",
      ],
      [
        "two steps with one ID",
        "pipeline.steps[2].id",
        pipelineOf(lite("a", always("b")), lite("b"), lite("a")),
        "'a' is also the ID of steps[0].",
      ],
      [
        "an unknown scraper",
        "pipeline.steps[0].scraper",
        pipelineOf(stepOn("retailer_a.ultra", "a")),
        "'scraper' of retailer_a must be one of retailer_a.pulse, retailer_a.lite, retailer_a.full, " +
          'retailer_a.offers, retailer_a.offer_check (got "retailer_a.ultra").',
      ],
      [
        "a scraper of another platform",
        "pipeline.steps[0].scraper",
        pipelineOf(stepOn("retailer_d.standard", "a")),
        "'retailer_d.standard' does not read 'retailer_a', the platform of this watchlist. Use one of: " +
          "retailer_a.pulse, retailer_a.lite, retailer_a.full, retailer_a.offers, retailer_a.offer_check.",
      ],
      [
        "a condition on a step other than offers",
        "pipeline.steps[0].condition",
        pipelineOf({ ...lite("a"), condition: "new" }),
        "'condition' applies only with 'scraper': 'retailer_a.offers'.",
      ],
      [
        "an unknown condition",
        "pipeline.steps[0].condition",
        pipelineOf({ ...stepOn("retailer_a.offers", "a"), condition: "usd" }),
        "'condition' must be one of all, new, used (got \"usd\"). Did you mean 'used'?",
      ],
      [
        "a refresh every 0 runs",
        "pipeline.refresh.every_runs",
        { ...pipelineOf(lite("a")), refresh: { every_runs: 0, entry: "a" } },
        "a whole number from 1 to 1000",
      ],
      [
        "a refresh every 1,001 runs",
        "pipeline.refresh.every_runs",
        { ...pipelineOf(lite("a")), refresh: { every_runs: 1_001, entry: "a" } },
        "a whole number from 1 to 1000",
      ],
      [
        "a refresh every 1.5 runs",
        "pipeline.refresh.every_runs",
        { ...pipelineOf(lite("a")), refresh: { every_runs: 1.5, entry: "a" } },
        "a whole number from 1 to 1000",
      ],
      [
        "an unknown 'when'",
        "pipeline.steps[0].routes[0].when",
        withRoute({ when: "change" }),
        "'when' must be one of new, changed, unchanged, ok, failed, not_found, always " +
          "(got \"change\"). Did you mean 'changed'?",
      ],
      [
        "an unknown 'op'",
        "pipeline.steps[0].routes[0].op",
        withRoute({ when: "ok", field: "price", op: "under", value: 1 }),
        "'op' must be one of increased, decreased, below, above, is, is_not (got \"under\").",
      ],
      [
        "the route value null",
        "pipeline.steps[0].routes[0].value",
        withRoute({ when: "ok", field: "price", op: "is", value: null }),
        "'value' must be a number, true, false, a string, or an object such as " +
          '{"metadata": "target_price"} or {"field": "lowest30d"} (got null).',
      ],
      [
        "metadata of a key with capital letters",
        "pipeline.steps[0].routes[0].value",
        withRoute({ when: "ok", field: "price", op: "is", value: { metadata: "Target" } }),
        "lower-case letters, digits and '_' (got \"Target\")",
      ],
      [
        "an unknown key beside metadata",
        "pipeline.steps[0].routes[0].value",
        withRoute({ when: "ok", field: "price", op: "is", value: { metadata: "x", y: 1 } }),
        "'value' with 'metadata' must have no other key (got \"y\").",
      ],
      [
        "a comparison of the last read with metadata",
        "pipeline.steps[0].routes[0].value",
        withRoute({
          when: "changed",
          field: "price",
          op: "decreased",
          value: { metadata: "target_price" },
        }),
        "'decreased' compares with the last known value. Omit 'value'",
      ],
      [
        "metadata of a key with capital letters in a test of where",
        "pipeline.steps[0].routes[0].where[0].value",
        withRoute({
          when: "ok",
          where: [{ field: "price", op: "is", value: { metadata: "Target" } }],
        }),
        "lower-case letters, digits and '_' (got \"Target\")",
      ],
      [
        "metadata that a test of where orders against a boolean",
        "pipeline.steps[0].routes[0].where[0].op",
        withRoute({
          when: "ok",
          where: [{ field: "inStock", op: "below", value: { metadata: "target" } }],
        }),
        "'below' compares numbers",
      ],
      [
        "a route value that names an unknown field",
        "pipeline.steps[0].routes[0].value.field",
        withRoute({ when: "ok", field: "price", op: "below", value: { field: "lowest30" } }),
        "Did you mean 'lowest30d'?",
      ],
      [
        "a route value that names a field of another type",
        "pipeline.steps[0].routes[0].value",
        withRoute({ when: "ok", field: "price", op: "is", value: { field: "inStock" } }),
        `'value' must be a number, the type of 'price' (got {"field":"inStock"}).`,
      ],
      [
        "a change of a derived field",
        "pipeline.steps[0].routes[0].field",
        withRoute({ when: "changed", field: "lowest30d" }),
        "'lowest30d' has no earlier value to compare with. Test it with 'when': 'ok'.",
      ],
      [
        "a route value of infinite size",
        "pipeline.steps[0].routes[0].value",
        withRoute({ when: "ok", field: "price", op: "is", value: JSON.parse("1e999") as unknown }),
        "A number in 'value' must be from",
      ],
      [
        "a route value of 201 characters",
        "pipeline.steps[0].routes[0].value",
        withRoute({ when: "ok", field: "merchant", op: "is", value: "m".repeat(201) }),
        "'value' must have at most 200 characters (got 201). Shorten it.",
      ],
      [
        "a route value with an unpaired surrogate",
        "pipeline.steps[0].routes[0].value",
        withRoute({ when: "ok", field: "merchant", op: "is", value: "\uD800" }),
        "unpaired surrogates",
      ],
      [
        "a string as 'notify'",
        "pipeline.steps[0].routes[0].notify",
        withRoute({ when: "ok", notify: "true" }),
        "'notify' must be true or false (got \"true\").",
      ],
    ]),
  )(
    "with the mistake '$what' is refused, and the error names $param",
    ({ param, value, message }) => {
      const refusal = refused(() => parse(value));
      expect(refusal).toMatchObject({ code: "INVALID_PARAM", status: 400, param });
      expect(refusal.message).toContain(message);
      expect(refusal.message.length).toBeLessThan(400);
    },
  );
});

describe("a route of a pipeline", () => {
  it.each([
    { when: "ok" },
    { when: "changed", notify: false },
    { when: "changed", field: "price", notify: false },
  ])("is refused if it neither runs a step nor notifies (the route: %j)", (route) => {
    const refusal = refused(() => parse(pipelineOf(lite("a", route))));
    expect(refusal.param).toBe("pipeline.steps[0].routes[0]");
    expect(refusal.message).toContain("'notify': true");
  });

  it.each(["new", "unchanged", "failed", "not_found", "always"])(
    "with 'when' \"%s\" accepts no field, op or value",
    (when) => {
      for (const [key, value] of Object.entries({ field: "price", op: "is", value: 1 })) {
        const refusal = refused(() => parse(withRoute({ when, [key]: value })));
        expect(refusal.param).toBe(`pipeline.steps[0].routes[0].${key}`);
        expect(refusal.message).toContain("'changed' or 'ok'");
      }
    },
  );

  it.each([
    { when: "changed" },
    { when: "changed", field: "rating" },
    { when: "changed", field: "price", op: "increased" },
    { when: "changed", field: "newCount", op: "decreased" },
    { when: "changed", field: "price", op: "below", value: 10 },
    { when: "changed", field: "inStock", op: "is", value: true },
    { when: "ok" },
    { when: "ok", field: "price", op: "above", value: 0.5 },
    { when: "ok", field: "merchant", op: "is_not", value: "A0RETAILERAUS" },
    { when: "ok", field: "usedCount", op: "is", value: 0 },
  ])("is accepted if it is valid (the route: %j)", (route) => {
    expect(parse(withRoute(route)).steps[0]?.routes).toEqual([{ notify: true, ...route }]);
  });

  it.each(
    refusals([
      [
        "a field that no route can test",
        "field",
        { when: "changed", field: "title" },
        "price, listPrice",
      ],
      [
        "a field of another scraper",
        "field",
        { when: "ok", field: "buyable", op: "is", value: true },
        "retailer_a.lite",
      ],
      [
        "a field named like a member of every object",
        "field",
        { when: "changed", field: "constructor" },
        "price",
      ],
      [
        "'increased' and 'when': ok",
        "op",
        { when: "ok", field: "price", op: "increased" },
        "changed",
      ],
      [
        "'decreased' and 'when': ok",
        "op",
        { when: "ok", field: "price", op: "decreased" },
        "changed",
      ],
      [
        "'increased' on a boolean field",
        "op",
        { when: "changed", field: "inStock", op: "increased" },
        "Use 'is' or 'is_not'.",
      ],
      [
        "'below' on a string field",
        "op",
        { when: "ok", field: "merchant", op: "below", value: "A" },
        "Use 'is' or 'is_not'.",
      ],
      [
        "a value for 'increased'",
        "value",
        { when: "changed", field: "price", op: "increased", value: 1 },
        "use 'below' or 'above'",
      ],
      ["a value but no 'op'", "value", { when: "changed", field: "price", value: 1 }, "Add 'op'"],
      [
        "a string value on a number field",
        "value",
        { when: "ok", field: "price", op: "below", value: "10" },
        `'value' must be a number, the type of 'price' (got "10").`,
      ],
      [
        "a number value on a boolean field",
        "value",
        { when: "ok", field: "inStock", op: "is", value: 1 },
        "'value' must be a boolean, the type of 'inStock' (got 1).",
      ],
      [
        "a boolean value on a string field",
        "value",
        { when: "changed", field: "condition", op: "is_not", value: true },
        "'value' must be a string, the type of 'condition' (got true).",
      ],
    ]),
  )("with the mistake '$what' is refused", ({ param, value, message }) => {
    const refusal = refused(() => parse(withRoute(value as Json)));
    expect(refusal).toMatchObject({
      code: "INVALID_PARAM",
      param: `pipeline.steps[0].routes[0].${param}`,
    });
    expect(refusal.message).toContain(message);
  });

  it("may test a derived field of a pulse read only with 'when' \"ok\"", () => {
    const test = { field: "buyboxAboveLowest", op: "is", value: true };
    expect(parse(withRoute({ when: "ok", ...test }, "retailer_a.pulse")).steps).toHaveLength(1);
    const refusal = refused(() =>
      parse(withRoute({ when: "changed", ...test }, "retailer_a.pulse")),
    );
    expect(refusal.param).toBe("pipeline.steps[0].routes[0].field");
    expect(refusal.message).toContain("'when': 'ok'");
  });

  it("is refused if it tests a field that is tracked but not testable", () => {
    const pipeline = withRoute({ when: "changed", field: "offerId" }, "retailer_b.standard");
    const refusal = refused(() => parse(pipeline, "retailer_b"));
    expect(refusal.param).toBe("pipeline.steps[0].routes[0].field");
    expect(refusal.message).toContain(
      "'field' of a route with 'when': 'changed' on 'retailer_b.standard' must be one of price, " +
        'listPrice, inStock, seller, byPlatform, clearance (got "offerId").',
    );
  });
});

describe("the routes between a pipeline's steps", () => {
  it.each<[string, Json]>([
    ["pipeline.entry", { ...pipelineOf(lite("a")), entry: "x" }],
    ["pipeline.baseline", { ...pipelineOf(lite("a")), baseline: "x" }],
    [
      "pipeline.refresh.entry",
      { ...pipelineOf(lite("a")), refresh: { every_runs: 1, entry: "x" } },
    ],
    ["pipeline.steps[1].routes[0].run", pipelineOf(lite("a", always("b")), lite("b", always("x")))],
  ])("are refused if the key '%s' names a step that does not exist", (param, value) => {
    const refusal = refused(() => parse(value));
    expect(refusal.param).toBe(param);
    expect(refusal.message).toContain("No step has the ID 'x'. Steps of this pipeline: a");
  });

  it.each<[string, string, Json]>([
    ["a -> a", "pipeline.steps[0].routes[0].run", pipelineOf(lite("a", always("a")))],
    [
      "b -> c -> b",
      "pipeline.steps[2].routes[1].run",
      pipelineOf(
        lite("a", always("b")),
        lite("b", always("c")),
        lite("c", always("d"), always("b")),
        lite("d"),
      ),
    ],
    [
      "b -> c -> b",
      "pipeline.steps[2].routes[0].run",
      pipelineOf(lite("a"), lite("b", always("c")), lite("c", always("b"))),
    ],
  ])("are refused if they form the loop %s, and the error names '%s'", (loop, param, value) => {
    const refusal = refused(() => parse(value));
    expect(refusal.param).toBe(param);
    expect(refusal.message).toContain(`Steps must not form a loop (got ${loop}).`);
  });

  it("are accepted if several steps lead to one step", () => {
    const steps = [lite("a", always("b"), always("c")), lite("b", always("c")), lite("c")];
    expect(parse({ steps }).steps).toHaveLength(3);
  });

  it.each(["retailer_a.lite", "retailer_a.pulse"])(
    "are checked in a short time even if many steps of the scraper %s form too many paths to follow one by one",
    (scraper) => {
      const steps = names(10).map((id, at) =>
        stepOn(
          scraper,
          id,
          ...(at < 9 ? Array.from({ length: 8 }, () => always(`s${at + 1}`)) : []),
        ),
      );
      expect(parse({ steps }).steps).toHaveLength(10);
    },
  );

  it("are refused if neither a route nor the start of a run leads to one of the steps", () => {
    const refusal = refused(() => parse(pipelineOf(lite("a"), lite("b", always("c")), lite("c"))));
    expect(refusal.param).toBe("pipeline.steps[1]");
    expect(refusal.message).toContain("No run reaches the step 'b'.");
  });

  const check = stepOn("retailer_a.offer_check", "check");
  const pulse = stepOn("retailer_a.pulse", "pulse", always("check"));

  it.each(["retailer_a.lite", "retailer_a.full", "retailer_a.offers"])(
    "may lead to an offer check after a step with the scraper %s",
    (scraper) => {
      const steps = [stepOn(scraper, "find", always("pulse")), pulse, check];
      expect(parse({ steps }).steps).toHaveLength(3);
    },
  );

  it.each<[string, string, Json]>([
    ["entry", "pipeline.entry", { ...pipelineOf(check) }],
    [
      "baseline",
      "pipeline.baseline",
      { ...pipelineOf(lite("a", always("check")), check), baseline: "check" },
    ],
    [
      "refresh entry",
      "pipeline.refresh.entry",
      {
        ...pipelineOf(lite("a", always("check")), check),
        refresh: { every_runs: 1, entry: "check" },
      },
    ],
    [
      "entry through a pulse step",
      "pipeline.steps[0].routes[0].run",
      { ...pipelineOf(pulse, lite("a", always("check")), check), baseline: "a" },
    ],
    [
      "refresh entry through a pulse step",
      "pipeline.steps[1].routes[0].run",
      {
        ...pipelineOf(lite("a", always("pulse")), pulse, check),
        refresh: { every_runs: 1, entry: "pulse" },
      },
    ],
  ])(
    "are refused if an offer check may run before any offers are read: on the way from the %s",
    (_way, param, value) => {
      const refusal = refused(() => parse(value));
      expect(refusal.param).toBe(param);
      expect(refusal.message).toContain(
        "one of these scrapers before 'check': retailer_a.lite, retailer_a.full, retailer_a.offers.",
      );
    },
  );
});

describe("the error for an offer check without an earlier offer", () => {
  it("contains the path from the start of the run to the offer check", () => {
    const steps = [
      stepOn("retailer_a.pulse", "scan", always("again")),
      stepOn("retailer_a.pulse", "again", always("check")),
      stepOn("retailer_a.offer_check", "check"),
    ];
    expect(refused(() => parse({ steps })).message).toContain(
      "on the path scan -> again -> check, no earlier step finds the offer.",
    );
  });
});

describe("a pipeline for an announced marketplace", () => {
  const uk = { platform: "retailer_a", marketplace: "uk" } as const;

  it("is refused with 501", () => {
    expect(refused(() => parsePipeline(pipelineOf(lite("a")), uk))).toMatchObject({
      status: 501,
      code: "NOT_IMPLEMENTED",
    });
  });

  it("is refused with 400 instead of 501 if the pipeline is also invalid", () => {
    expect(refused(() => parsePipeline(pipelineOf(lite("a", always("x"))), uk)).status).toBe(400);
  });
});

const anyShopPipeline = fc
  .constantFrom(...(Object.keys(platforms) as Platform[]))
  .chain((platform) => anyPipeline(platform).map((pipeline) => ({ platform, pipeline })));

describe("a pipeline in JSON", () => {
  it("is parsed to the same pipeline that the service wrote", () => {
    fc.assert(
      fc.property(anyShopPipeline, ({ platform, pipeline }) => {
        const wire: unknown = JSON.parse(JSON.stringify(presentPipeline(pipeline)));
        expect(parse(wire, platform)).toEqual(pipeline);
        expect(presentPipeline(parse(wire, platform))).toEqual(wire);
      }),
    );
  });

  it("is either parsed, or refused with 400 and a 'param' inside the pipeline, whatever the JSON contains", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), anyShopPipeline.chain(damaged)), (value) => {
        expectReadOrRefused(value);
      }),
      { numRuns: 500 },
    );
  });
});

function expectReadOrRefused(value: unknown): void {
  try {
    parse(value);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    expect(error.status).toBe(400);
    expect(error.details.param).toMatch(/^pipeline($|[.[])/);
    expect(error.message.length).toBeLessThan(600);
  }
}

/** Returns a pipeline in which one value, at any depth, is replaced by any JSON value. */
function damaged({ pipeline }: { readonly pipeline: Pipeline }): fc.Arbitrary<unknown> {
  const wire = JSON.stringify(presentPipeline(pipeline));
  let parts = 0;
  JSON.parse(wire, () => (parts += 1));
  return fc.tuple(fc.nat({ max: parts }), fc.jsonValue()).map(([target, other]) => {
    let part = 0;
    return JSON.parse(wire, (_key, value: unknown) => {
      part += 1;
      return part === target ? other : value;
    }) as unknown;
  });
}

describe("the default pipeline", () => {
  it.each(Object.keys(platforms) as Platform[])(
    "of the platform %s is accepted when a client sends it",
    (platform) => {
      for (const everyRuns of [0, 1, 8, 1_000]) {
        const pipeline = defaultPipeline(platform, everyRuns);
        expect(parse(presentPipeline(pipeline), platform)).toEqual(pipeline);
      }
    },
  );
});
