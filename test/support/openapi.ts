import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "vitest";
import document from "../../functions/meta/generated/openapi.json" with { type: "json" };
import type { ApiClient } from "../../tools/customer/api-client.ts";

const documentId = "openapi";
const methods = document.paths as Readonly<
  Record<
    string,
    Readonly<Record<string, { readonly responses: Readonly<Record<string, unknown>> }>>
  >
>;

const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(closed(document) as object, documentId);
const validators = new Map<string, ValidateFunction>();

/**
 * Expects a response to match the OpenAPI document. The operation must document the status. The
 * body must contain all required members and no undocumented members.
 * @param route the method and the path, such as `GET /v1/account`; the path may have parameters or
 * their values. If the document lacks the operation, the body must be a documented error.
 */
export function expectDocumented(route: string, status: number, body: unknown): void {
  const [method = "", path = ""] = route.split(" ");
  const template = templateOf(path.split("?")[0] ?? "");
  const operation = template === undefined ? undefined : methods[template]?.[method.toLowerCase()];
  if (template === undefined || operation === undefined) {
    expect([401, 404, 410, 413, 429, 500, 503], `${route}: ${status}`).toContain(status);
    return expectValid("#/components/schemas/Error", { route, status, body });
  }
  expect(Object.keys(operation.responses), `${route}: ${status}`).toContain(String(status));
  const described = operation.responses[status] as { readonly $ref?: string };
  const pointer =
    described.$ref ??
    `#/paths/${escaped(template)}/${method.toLowerCase()}/responses/${String(status)}`;
  return expectValid(`${pointer}/content/application~1json/schema`, { route, status, body });
}

/** Wraps a client. A call throws if its response does not match the OpenAPI document. */
export function documented(api: ApiClient): ApiClient {
  return {
    async get(path) {
      const answer = await api.get(path);
      expectDocumented(`GET /v1${path}`, answer.status, answer.body);
      return answer;
    },
    async send(method, path, body) {
      const answer = await api.send(method, path, body);
      expectDocumented(`${method} /v1${path}`, answer.status, answer.body);
      return answer;
    },
  };
}

function expectValid(
  pointer: string,
  { route, status, body }: { route: string; status: number; body: unknown },
): void {
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `${documentId}${pointer}` });
  validators.set(pointer, validate);
  validate(body);
  const faults = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  expect(faults, `${route}: the ${status} answer ${JSON.stringify(body).slice(0, 500)}`).toEqual(
    [],
  );
}

/**
 * Returns the documented path that matches a called path; undefined if there is none. Fixed parts
 * take precedence over parameters.
 */
function templateOf(called: string): string | undefined {
  const parts = called.split("/");
  const fits = Object.keys(methods).filter((template) => {
    const wanted = template.split("/");
    return (
      wanted.length === parts.length &&
      wanted.every((part, n) => part === parts[n] || part.startsWith("{"))
    );
  });
  return fits.sort((a, b) => a.split("{").length - b.split("{").length)[0];
}

const escaped = (pointerPart: string): string =>
  pointerPart.replaceAll("~", "~0").replaceAll("/", "~1");

/**
 * Returns a schema in which all object schemas forbid undocumented members. Clients must ignore
 * such members, but a test must find them.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, closed(inner)] as const);
  const isOpen = "properties" in value && !("additionalProperties" in value);
  return Object.fromEntries(isOpen ? [...entries, ["additionalProperties", false]] : entries);
}
