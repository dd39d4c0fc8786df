import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import document from "../../functions/meta/generated/openapi.json" with { type: "json" };
import { startTestWorld, type World } from "../support/local-world.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Readonly<Record<string, unknown>>;
}
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: unknown;
}
interface Operation {
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: Schema } };
  };
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, unknown>>;
}

const paths = document.paths as unknown as Record<string, Record<string, Operation>>;
const components = document.components.schemas as unknown as Record<string, Schema>;

/** Returns true if the document allows fields in the body that it does not name. */
function documentsUnknown({ requestBody }: Operation): boolean {
  const isOpen = ({ $ref = "", anyOf, additionalProperties }: Schema): boolean => {
    const component = components[$ref.split("/").at(-1) ?? ""];
    if (component !== undefined) return isOpen(component);
    return additionalProperties !== false && (anyOf?.some(isOpen) ?? true);
  };
  return requestBody !== undefined && isOpen(requestBody.content["application/json"].schema);
}

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path: path.replaceAll(/\{\w+\}/g, "search").replace("/search/search", "/retailer_a/search"),
    accepted: (operation.parameters ?? [])
      .filter((parameter) => parameter.in === "query")
      .map(({ name }) => name),
    acceptsUnknown: documentsUnknown(operation),
    integers: (operation.parameters ?? []).filter(
      (parameter) => parameter.in === "query" && parameter.schema["type"] === "integer",
    ),
  })),
);
const inApi = operations.filter(({ path }) => path.startsWith("/v1/"));
const announced = inApi.filter(({ path }) => path.startsWith("/v1/structured/"));
const live = inApi.filter((operation) => !announced.includes(operation));
const pages = operations.filter((operation) => !inApi.includes(operation));

let world: World;

beforeAll(async () => {
  world = await startTestWorld();
});
afterAll(() => world.stop());

async function refusalOf(method: string, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${world.apiKey}`, "Content-Type": "application/json" };
  const call = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  let response = await fetch(`${world.baseUrl}${path}`, call);
  while (response.status === 429) {
    await delay(Number(response.headers.get("Retry-After")) * 1_000);
    response = await fetch(`${world.baseUrl}${path}`, call);
  }
  const text = await response.text();
  const { error } = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, error: error as Record<string, string> | undefined };
}

describe("an operation below /v1", () => {
  it.each(live)(
    "with the route $route returns 400 for an unknown query parameter",
    async ({ method, path, accepted }) => {
      const { status, error } = await refusalOf(method, `${path}?unknown_one=1`);
      expect(status).toBe(400);
      expect(error).toMatchObject({ code: "INVALID_PARAM", param: "unknown_one" });
      // The parameters that the service accepts must be those that the document lists.
      const listed = /accepts: ([^.]*)\.$/.exec(error?.["message"] ?? "")?.[1]?.split(", ");
      expect(listed).toEqual([...accepted, "api_key"]);
    },
  );

  it.each(live.flatMap(({ accepted, ...rest }) => accepted.map((name) => ({ ...rest, name }))))(
    "with the route $route returns 400 if the parameter '$name' is sent twice",
    async ({ method, path, name }) => {
      const { status, error } = await refusalOf(method, `${path}?${name}=1&${name}=1`);
      expect(status).toBe(400);
      expect(error).toMatchObject({ code: "INVALID_PARAM", param: name });
    },
  );

  it("returns 501 for any query and body if the operation is only announced", async () => {
    expect(announced.length).toBeGreaterThan(0);
    for (const { method, path } of announced) {
      const body = method === "POST" ? { unknown_one: 1 } : undefined;
      expect((await refusalOf(method, `${path}?unknown_one=1`, body)).status).toBe(501);
    }
  });

  it.each(live.filter(({ method }) => ["PATCH", "POST", "PUT"].includes(method)))(
    "with the route $route returns 400 for an unknown field in its body, before it checks the other fields",
    async ({ method, path, acceptsUnknown }) => {
      const { status, error } = await refusalOf(method, path, { unknown_one: 1 });
      expect(status).toBe(400);
      expect(error).toMatchObject({ code: "INVALID_PARAM", param: "unknown_one" });
      expect(acceptsUnknown).toBe(false);
    },
  );

  it("suggests the nearest field for a misspelled one", async () => {
    const { error } = await refusalOf("PATCH", "/v1/account", { daily_credit_budgett: 5 });
    expect(error?.["message"]).toBe(
      "Unknown field 'daily_credit_budgett' in the body. Did you mean 'daily_credit_budget'? " +
        "PATCH /v1/account accepts: daily_credit_budget.",
    );
  });
});

describe("an integer query parameter in the OpenAPI document", () => {
  const integers = live.flatMap(({ integers: found, ...rest }) =>
    found.map(({ name, schema }) => ({ ...rest, name, schema })),
  );

  it("has a name that no query parameter of another type has", () => {
    const names = new Set(integers.map(({ name }) => name));
    expect(names).toEqual(new Set(["limit", "days", "count", "before_run", "max_credits"]));
    // A parameter name that is an integer in one operation is an integer in all operations.
    const texts = live.flatMap(({ accepted, integers: found }) =>
      accepted.filter((name) => !found.some((one) => one.name === name)),
    );
    expect(texts.filter((name) => names.has(name))).toEqual([]);
  });

  it.each(integers)(
    "named '$name' in the operation $route has bounds, and a default within them",
    ({ schema }) => {
      const { minimum, maximum, default: ordinary = minimum } = schema as Record<string, number>;
      expect(minimum).toBeLessThanOrEqual(Number(ordinary));
      expect(maximum).toBeGreaterThanOrEqual(Number(ordinary));
    },
  );

  it.each(integers)(
    "named '$name' in the operation $route is refused with 400 if the value is outside its bounds or not an integer",
    async ({ method, path, name, schema }) => {
      const { minimum = 0, maximum = 0 } = schema as Record<string, number>;
      const wrong = [minimum - 1, maximum + 1, `${minimum}.5`, `0${minimum}`, "", "1e1", "abc"];
      for (const value of wrong) {
        const { status, error } = await refusalOf(method, `${path}?${name}=${value}`);
        expect(status, `${value}`).toBe(400);
        expect(error).toMatchObject({
          code: "INVALID_PARAM",
          param: name,
          message: `'${name}' must be an integer from ${minimum} to ${maximum} (got "${value}").`,
        });
      }
    },
  );

  it.each(integers)(
    "named '$name' in the operation $route is accepted at its bounds",
    async ({ method, path, name, schema }) => {
      const { minimum = 0, maximum = 0 } = schema as Record<string, number>;
      for (const value of [minimum, maximum]) {
        const { error } = await refusalOf(method, `${path}?${name}=${value}`);
        expect(error?.["param"]).not.toBe(name);
      }
    },
  );
});

describe("the documentation pages", () => {
  it("accept and ignore unknown query parameters", async () => {
    expect(pages.length).toBeGreaterThanOrEqual(3);
    for (const { method, path: template } of pages) {
      const path = template.replace(/^\/docs\/.+/, "/docs/errors");
      expect((await refusalOf(method, `${path}?utm_source=mail`)).status, path).toBe(200);
    }
  });
});
