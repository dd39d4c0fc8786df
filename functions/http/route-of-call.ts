import type { APIGatewayProxyEvent } from "aws-lambda";
import { type RouteKey, routes } from "../routes.ts";

/** Each route with a pattern for its path. Routes without parameters come first. */
const patterns = (Object.keys(routes) as RouteKey[])
  .map((route) => ({ route, pattern: new RegExp(`^${route.replaceAll(/\{\w+\}/g, "[^/]+")}$`) }))
  .toSorted((a, b) => Number(a.route.includes("{")) - Number(b.route.includes("{")));

/**
 * Returns the route of a call, before the call is dispatched; undefined if no route matches. The
 * call can still be refused, for example because of its key.
 */
export function routeOfCall({
  httpMethod,
  path,
}: Pick<APIGatewayProxyEvent, "httpMethod" | "path">): RouteKey | undefined {
  const call = `${httpMethod === "HEAD" ? "GET" : httpMethod} ${path}`;
  return patterns.find(({ pattern }) => pattern.test(call))?.route;
}
