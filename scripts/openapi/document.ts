import { deprecations, isDeprecated } from "../../functions/http/deprecations.ts";
import { isItemCall, isPublic, type RouteKey, routes, scopesOf } from "../../functions/routes.ts";
import { errorGuide } from "../../tools/documents/error-guide.ts";
import type { JsonObject } from "../../tools/documents/json-schema.ts";
import { asObject, componentSchemas, jsonSchema } from "../../tools/documents/json-schema.ts";
import { codeSamples, type SampleCall } from "./code-samples.ts";
import { addDescriptions } from "./described.ts";
import { commonHeaders, type HeaderName, headerRefs, headers, itemHeaders } from "./headers.ts";
import { bodyComponents, closedSchema, namedBodies } from "./named-bodies.ts";
import { named } from "./named-schemas.ts";
import { type Answer, type Operation, type RefusalStatus, tags } from "./operation.ts";
import { operations } from "./operations.ts";
import { refusalRef, refusalResponses } from "./refusals.ts";
import { overview } from "./overview.ts";
import { webhooks } from "./webhooks.ts";

/**
 * Returns the OpenAPI 3.1 document of the API, built from the route table and the schemas of the
 * domains.
 */
export function openApiDocument(): JsonObject {
  return addDescriptions({
    openapi: "3.1.0",
    info: {
      title: "Retail product data service",
      version: "1",
      summary: "Product, price, stock and offer data for item IDs, metered per item.",
      description: overview,
      contact: { name: "Support" },
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: "/", description: "The address that served this document." }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
    "x-error-codes": errorCodes,
    paths: paths(),
    webhooks: webhooks(),
    components: {
      securitySchemes,
      schemas: { ...componentSchemas({ direction: "output", named }), ...bodyComponents() },
      headers: selectUsed("headers", headers),
      responses: selectUsed("responses", refusalResponses()),
    },
  });
}

/** The codes of error responses, and whether the same call can succeed later. */
const errorCodes = Object.fromEntries(
  Object.entries(errorGuide).map(([code, { retry }]) => [code, { retryable: retry === true }]),
);

const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "Recommended: `Authorization: Bearer <API_KEY>`.",
  },
  apiKeyHeader: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "For clients that need the `Authorization` header for another purpose.",
  },
  apiKeyQuery: {
    type: "apiKey",
    in: "query",
    name: "api_key",
    description: "For clients that cannot set headers. Discouraged: URLs are logged.",
  },
};

/** Route keys of the document, in the order of the route table. */
const documented = (Object.keys(routes) as RouteKey[]).filter(
  (key): key is keyof typeof operations & RouteKey => Object.hasOwn(operations, key),
);

function paths(): JsonObject {
  const foundPaths: Record<string, Record<string, unknown>> = {};
  for (const key of documented) {
    const [method = "", path = ""] = key.split(" ");
    (foundPaths[path] ??= {})[method.toLowerCase()] = operationObject(key, operations[key]);
  }
  return foundPaths;
}

function operationObject(key: RouteKey, operation: Operation): JsonObject {
  const { id, tag, summary, description, body } = operation;
  const parameters = parametersOf(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}${scopesSentence(key)}`,
    ...(isDeprecated(key) ? { deprecated: true } : {}),
    ...(isPublic(key) ? { security: [] } : { "x-required-scopes": [...scopesOf(key)] }),
    "x-repeatable": isRepeatable(key, operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses: responsesOf(key, operation),
    "x-codeSamples": codeSamples(sampleCall(key, operation)),
  };
}

function isRepeatable(key: RouteKey, { headers: sent = {}, ...operation }: Operation): boolean {
  const isKeyed = Object.hasOwn(sent, "Idempotency-Key");
  return operation.repeatable ?? (isKeyed || !(key.startsWith("POST ") || isItemCall(key)));
}

/** Returns a paragraph with the scopes that an operation needs; empty for a public operation. */
function scopesSentence(key: RouteKey): string {
  if (isPublic(key)) return "";
  const names = scopesOf(key).map((scope) => `\`${scope}\``);
  return `\n\nThe key needs the ${names.length === 1 ? "scope" : "scopes"} ${names.join(" and ")}.`;
}

/** Returns the sample call of an operation: the first example body, and the required parameters. */
function sampleCall(
  key: RouteKey,
  { id, path = {}, query, queryExamples = {}, sampleQuery = [], body, answers }: Operation,
): SampleCall {
  const [method = "", template = ""] = key.split(" ");
  const needed = (query === undefined ? [] : queryOf(query, queryExamples))
    .filter(({ name, required }) => required === true || sampleQuery.includes(String(name)))
    .map(({ name, example }) => [String(name), String(example)] as const);
  const [example] = Object.values(body?.examples ?? {});
  const schema = answers[200]?.schema;
  return {
    operationId: id,
    method,
    template,
    path: Object.fromEntries(Object.entries(path).map(([name, one]) => [name, one.example])),
    query: Object.fromEntries(needed),
    needsKey: !isPublic(key),
    isPage:
      schema !== undefined &&
      "has_more" in asObject(jsonSchema(schema, { direction: "output", named: {} })["properties"]),
    ...(example === undefined ? {} : { body: example }),
  };
}

function parametersOf({ path, query, queryExamples = {}, headers: sent }: Operation): JsonObject[] {
  const inPath = Object.entries(path ?? {}).map(([name, { description, example }]) => ({
    name,
    in: "path",
    required: true,
    description,
    schema: { type: "string" },
    example,
  }));
  const inHeader = Object.entries(sent ?? {}).map(([name, { description, example }]) => ({
    name,
    in: "header",
    description,
    schema: { type: "string" },
    example,
  }));
  return [...inPath, ...(query === undefined ? [] : queryOf(query, queryExamples)), ...inHeader];
}

function queryOf(query: NonNullable<Operation["query"]>, examples: JsonObject): JsonObject[] {
  const { properties, required } = jsonSchema(query, { direction: "output", named: {} });
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(asObject(properties)).map(([name, value]) => {
    const { description, deprecated, ...schema } = asObject(value);
    // JSON omits undefined values.
    return {
      name,
      in: "query",
      required: needed.includes(name) || undefined,
      description,
      deprecated,
      schema,
      example: examples[name],
    };
  });
}

function requestBody({
  schema,
  examples,
  optional = false,
}: NonNullable<Operation["body"]>): JsonObject {
  return {
    required: !optional,
    content: {
      "application/json": {
        schema: closedSchema(jsonSchema(schema, { direction: "input", named: namedBodies })),
        examples: Object.fromEntries(
          Object.entries(examples).map(([name, value]) => [name, { value }]),
        ),
      },
    },
  };
}

function responsesOf(key: RouteKey, operation: Operation): JsonObject {
  const { answers, itemCall = false, cached: isCached = true } = operation;
  const isDocument = isCached && isPublic(key);
  const cached: readonly HeaderName[] = isDocument ? ["ETag", "Cache-Control"] : [];
  const deprecated: readonly HeaderName[] = deprecations.some(({ route }) => route === key)
    ? ["Deprecation", "Sunset", "Link"]
    : [];
  return {
    ...Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => {
        const own = [...cached, ...deprecated, ...(answer.headers ?? [])];
        return [status, answerObject({ ...answer, headers: own }, itemCall)];
      }),
    ),
    ...(isDocument && {
      304: {
        description: "Not modified: the document still matches `If-None-Match`. No body.",
        headers: headerRefs([...commonHeaders, ...cached]),
      },
    }),
    ...Object.fromEntries(
      refusalsOf(key, operation).map((status) => [status, refusalRef(status, itemCall)]),
    ),
  };
}

function answerObject(
  { description, schema, mediaType = "text/html", example, headers: own = [] }: Answer,
  itemCall: boolean,
): JsonObject {
  return {
    description,
    headers: headerRefs([...commonHeaders, ...own, ...(itemCall ? itemHeaders : [])]),
    content:
      schema === undefined
        ? { [mediaType]: { schema: { type: mediaType.startsWith("text/") ? "string" : "object" } } }
        : {
            "application/json": {
              schema: jsonSchema(schema, { direction: "output", named }),
              ...(example === undefined ? {} : { example }),
            },
          },
  };
}

/**
 * Returns the statuses with which the service can refuse an operation. They include the statuses
 * that follow from the access, the body and the charge of the operation.
 */
function refusalsOf(key: RouteKey, { refusals = [], body, itemCall }: Operation): RefusalStatus[] {
  const statuses: RefusalStatus[] = [
    ...refusals,
    // Pages ignore their query. Every other operation refuses unknown parameters.
    ...(key.includes(" /v1/") ? ([400] as const) : []),
    ...(isPublic(key) ? [] : ([401, 403] as const)),
    ...(body === undefined ? [] : ([413] as const)),
    ...(itemCall === true ? ([402, 409, 501] as const) : []),
    429,
    500,
    503,
  ];
  return [...new Set(statuses)].sort((a, b) => a - b);
}

/** Returns the shared headers or responses to which at least one operation or response refers. */
function selectUsed(kind: "headers" | "responses", parts: JsonObject): JsonObject {
  const text = JSON.stringify([paths(), refusalResponses()]);
  return Object.fromEntries(
    Object.entries(parts).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
  );
}
