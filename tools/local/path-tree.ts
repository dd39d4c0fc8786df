import * as v from "valibot";
import type { ResolvedTemplates } from "./template.ts";

/** A method of a resource, with the ARN of its function. */
export interface GatewayMethod {
  readonly httpMethod: string;
  readonly resourceId: string;
  readonly functionArn: string;
  /** True if the function streams its response. */
  readonly streaming: boolean;
  readonly timeoutMilliseconds: number;
}

/** The method of the API that a request calls. */
export interface Match {
  readonly method: GatewayMethod;
  /** The resource path with parameters in braces, such as `/v1/products/{proxy+}`. */
  readonly resourcePath: string;
  /** The decoded values of the path parameters; null if the path has none. */
  readonly pathParameters: Readonly<Record<string, string>> | null;
}

/**
 * Returns the API's method for a request, together with the path parameters of the request; null if
 * the API does not have this path or method.
 */
export type PathTree = (httpMethod: string, path: string) => Match | null;

interface Route {
  readonly path: string;
  readonly parts: readonly string[];
  readonly methods: readonly GatewayMethod[];
}

/** The HTTP methods that `ANY` includes. */
const methodsOfAny = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]);

/** API Gateway's timeout for an integration that sets none. */
const timeoutMillisecondsDefault = 29_000;

/**
 * Creates the lookup of the API's methods by HTTP method and path. A more specific path takes
 * precedence. The lookup returns null if no path matches, or if the most specific matching path
 * lacks the method.
 */
export function pathTree(templates: ResolvedTemplates): PathTree {
  const methods = readMethods(templates);
  const routes = readPaths(templates)
    .map(({ id, path }) => ({
      path,
      parts: split(path),
      methods: methods.filter((method) => method.resourceId === id),
    }))
    .filter((route) => route.methods.length > 0)
    .sort((a, b) => compareSpecific(a.parts, b.parts));
  return (httpMethod, path) => {
    const parts = split(path);
    for (const route of routes) {
      const pathParameters = matchParts(route.parts, parts);
      if (pathParameters) return matchMethod(route, httpMethod, pathParameters);
    }
    return null;
  };
}

function readPaths(templates: ResolvedTemplates): readonly { id: string; path: string }[] {
  const resources = templates.ofType(
    "AWS::ApiGateway::Resource",
    v.object({ ParentId: v.string(), PathPart: v.string() }),
  );
  const roots = templates
    .ofType("AWS::ApiGateway::RestApi")
    .map((api) => api.local.attributes["RootResourceId"]);
  const pathOf = (id: string): string => {
    if (roots.includes(id)) return "";
    const resource = resources.find((candidate) => candidate.local.ref === id);
    if (!resource)
      throw new Error(
        `The template's API has no resource with the ID ${id}. Check the ParentId and ResourceId of its resources and methods.`,
      );
    return `${pathOf(resource.properties.ParentId)}/${resource.properties.PathPart}`;
  };
  return [
    ...roots.map((id) => ({ id: id ?? "", path: "/" })),
    ...resources.map(({ local }) => ({ id: local.ref, path: pathOf(local.ref) })),
  ];
}

const methodProperties = v.object({
  HttpMethod: v.string(),
  ResourceId: v.string(),
  Integration: v.object({
    Type: v.literal("AWS_PROXY", "The local gateway supports only Lambda proxy integrations."),
    Uri: v.pipe(v.string(), v.regex(/functions\/arn:[^/]+\//)),
    ResponseTransferMode: v.optional(v.string()),
    TimeoutInMillis: v.optional(v.number(), timeoutMillisecondsDefault),
  }),
});

function readMethods(templates: ResolvedTemplates): readonly GatewayMethod[] {
  return templates
    .ofType("AWS::ApiGateway::Method", methodProperties)
    .map(({ properties: { HttpMethod, ResourceId, Integration } }) => ({
      httpMethod: HttpMethod,
      resourceId: ResourceId,
      functionArn: Integration.Uri.split("functions/")[1]?.split("/")[0] ?? "",
      streaming: Integration.ResponseTransferMode === "STREAM",
      timeoutMilliseconds: Integration.TimeoutInMillis,
    }));
}

/** Splits a path into its parts. Ignores a trailing slash, as API Gateway does. */
function split(path: string): readonly string[] {
  return path.replace(/^\//, "").replace(/\/$/, "").split("/");
}

const weight = (part: string): number => (part.endsWith("+}") ? 2 : part.startsWith("{") ? 1 : 0);

/**
 * Compares two paths so that the more specific path sorts first: fixed parts, then parameters such
 * as `{id}`, then parameters for the rest of the path such as `{proxy+}`.
 */
function compareSpecific(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const difference = weight(a[i] ?? "") - weight(b[i] ?? "");
    if (difference !== 0) return difference;
  }
  return b.length - a.length;
}

function matchParts(
  pattern: readonly string[],
  parts: readonly string[],
): Record<string, string> | null {
  const parameters: Record<string, string> = {};
  for (const [i, expected] of pattern.entries()) {
    const part = parts[i];
    if (!part && expected !== "") return null;
    if (expected.endsWith("+}")) {
      parameters[expected.slice(1, -2)] = parts.slice(i).map(decode).join("/");
      return parameters;
    }
    if (expected.startsWith("{")) parameters[expected.slice(1, -1)] = decode(part ?? "");
    else if (expected !== part) return null;
  }
  return pattern.length === parts.length ? parameters : null;
}

function matchMethod(
  route: Route,
  httpMethod: string,
  pathParameters: Record<string, string>,
): Match | null {
  const method =
    route.methods.find((candidate) => candidate.httpMethod === httpMethod) ??
    route.methods.find(({ httpMethod: own }) => own === "ANY" && methodsOfAny.has(httpMethod));
  if (!method) return null;
  const some = Object.keys(pathParameters).length > 0;
  return { method, resourcePath: route.path, pathParameters: some ? pathParameters : null };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
