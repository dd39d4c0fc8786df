import { describe, expect, it } from "vitest";
import { isServiceError } from "../../../shared/base/errors.ts";
import { checkRoute } from "../../../shared/pipelines/check-route.ts";
import type { Route } from "../../../shared/pipelines/definition.ts";
import type { StepScraperId } from "../../../shared/scrapers/catalog.ts";

interface Refusal {
  readonly param: string | undefined;
  readonly message: string;
}

/** Returns the error about a route with `notify`, or null if the route is accepted. */
function refusalOf(
  route: Partial<Route>,
  scraper: StepScraperId = "retailer_a.lite",
): Refusal | null {
  try {
    checkRoute({ when: "ok", notify: true, ...route }, { scraper, path: "route" });
    return null;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { param: error.details.param, message: error.message };
  }
}

const cheap = { field: "price", op: "below", value: 10 } as const;

describe("a key that does not apply to the 'when' of its route", () => {
  it.each<[keyof Route, Partial<Route>, string]>([
    [
      "where",
      { when: "failed", where: [cheap] },
      "'new', 'changed', 'unchanged', 'ok' or 'always'",
    ],
    [
      "where",
      { when: "not_found", where: [cheap] },
      "'new', 'changed', 'unchanged', 'ok' or 'always'",
    ],
    ["min_delta", { ...cheap, min_delta: 1 }, "'changed'"],
    ["min_delta_percent", { ...cheap, min_delta_percent: 1 }, "'changed'"],
    ["confirm", { when: "new", confirm: 2 }, "'changed', 'unchanged', 'ok', 'failed' or 'always'"],
    [
      "confirm",
      { when: "not_found", confirm: 2 },
      "'changed', 'unchanged', 'ok', 'failed' or 'always'",
    ],
    ["once", { when: "changed", once: true }, "'unchanged', 'ok' or 'failed'"],
    ["once", { when: "new", once: true }, "'unchanged', 'ok' or 'failed'"],
    ["once", { when: "always", once: true }, "'unchanged', 'ok' or 'failed'"],
  ])("is refused if the key is '%s' and the route is %j", (key, route, accepted) => {
    expect(refusalOf(route)).toEqual({
      param: `route.${key}`,
      message: `'${key}' applies only with 'when': ${accepted}. Omit it if 'when' is '${route.when ?? "ok"}'.`,
    });
  });

  it.each<Partial<Route>>([
    ...(["new", "changed", "unchanged", "ok", "always"] as const).map((when) => ({
      when,
      where: [cheap],
    })),
    ...(["changed", "unchanged", "ok", "failed", "always"] as const).map((when) => ({
      when,
      confirm: 2,
    })),
    { when: "unchanged", once: true },
    { when: "failed", once: true },
    { when: "changed", once: false },
    { when: "ok", once: false },
  ])("is not reported for the valid route %j", (route) => {
    expect(refusalOf(route)).toBeNull();
  });
});

describe("a route with the key 'once'", () => {
  it("is refused with 'when' \"ok\" and without a condition", () => {
    expect(refusalOf({ once: true })).toEqual({
      param: "route.once",
      message:
        "'once' applies only with a condition that can become false. Add 'field' and 'op', or 'where'.",
    });
  });

  it.each<Partial<Route>>([cheap, { where: [cheap] }])(
    "is accepted with 'when' \"ok\" and the condition %j",
    (condition) => {
      expect(refusalOf({ ...condition, once: true })).toBeNull();
    },
  );
});

describe("a route with the key 'cooldown'", () => {
  it("is refused if the route runs a step but does not notify", () => {
    expect(refusalOf({ cooldown: "1h", notify: false, run: "next" })).toEqual({
      param: "route.cooldown",
      message:
        "'cooldown' applies only with 'notify': true. Add 'notify': true, or omit 'cooldown'.",
    });
  });

  it("is accepted if the route notifies", () => {
    expect(refusalOf({ cooldown: "1h" })).toBeNull();
  });
});

describe.each(["min_delta", "min_delta_percent"] as const)("a route with the key '%s'", (key) => {
  it("is refused if the route names no field", () => {
    expect(refusalOf({ when: "changed", [key]: 1 })).toEqual({
      param: "route.field",
      message: "Parameter 'route.field' is required.",
    });
  });

  it("is refused if the field of the route is not numeric", () => {
    expect(refusalOf({ when: "changed", field: "inStock", [key]: 1 })).toEqual({
      param: `route.${key}`,
      message: `'${key}' compares numbers, but 'inStock' is a boolean. Omit '${key}', or choose a field with numbers.`,
    });
  });

  it("is accepted if the field of the route is numeric", () => {
    expect(refusalOf({ when: "changed", field: "price", [key]: 1 })).toBeNull();
  });
});

describe("a test in the 'where' of a route", () => {
  it("is refused, with the position of the test in the error, if its field is not testable at this scraper", () => {
    const where = [
      { field: "price", op: "below", value: 10 },
      { field: "offerId", op: "is", value: "x" },
    ] as const;
    const refusal = refusalOf({ where }, "retailer_b.standard");
    expect(refusal?.param).toBe("route.where[1].field");
    expect(refusal?.message).toMatch(
      /^'field' of a test of 'retailer_b\.standard' must be one of price, .*clearance.* \(got "offerId"\)/,
    );
    expect(refusal?.message).not.toContain("offerId,");
  });

  it.each(["title", "constructor"])("is refused if it tests the field '%s'", (field) => {
    const where = [{ field, op: "is", value: "x" }] as const;
    expect(refusalOf({ where })?.param).toBe("route.where[0].field");
  });

  it("is accepted if the tested field is derived", () => {
    expect(refusalOf({ where: [{ field: "lowest30d", op: "below", value: 10 }] })).toBeNull();
  });
});

describe("a numeric operator of a route", () => {
  it.each([
    { when: "changed", op: "increased" },
    { when: "changed", op: "decreased" },
    { when: "ok", op: "below", value: true },
    { when: "ok", op: "above", value: true },
  ] as const)("is refused with a boolean field (the route: %j)", (test) => {
    expect(refusalOf({ ...test, field: "inStock" })).toEqual({
      param: "route.op",
      message: `'${test.op}' compares numbers, but 'inStock' is a boolean. Use 'is' or 'is_not'.`,
    });
  });
});
