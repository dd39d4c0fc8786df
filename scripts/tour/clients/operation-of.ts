import { operationsOf } from "../../clients/document.ts";
import type { OperationCall } from "./tour-client.ts";

const routes = operationsOf().map(({ id, method, path }) => ({
  id,
  method,
  names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "([^/]+)")}$`),
}));

/**
 * Returns the operation of a request, with its path parameters, its query and its body.
 * @param method The HTTP method.
 * @param path The path below `/v1` with its query.
 * @throws Error if the API reference has no such operation.
 */
export function operationOf(method: string, path: string, body?: unknown): OperationCall {
  const { pathname, searchParams } = new URL(`http://service/v1${path}`);
  const [foundRoute] = routes
    .filter((route) => route.method === method && route.pattern.test(pathname))
    // A fixed path, such as `/v1/watchlists/estimate`, precedes a path with a parameter.
    .toSorted((one, other) => one.names.length - other.names.length);
  if (foundRoute === undefined)
    throw new Error(
      `There is no operation ${method} ${pathname}. Correct the call, or add the operation to the API reference.`,
    );
  const values = foundRoute.pattern.exec(pathname)?.slice(1) ?? [];
  return {
    operation: foundRoute.id,
    path: Object.fromEntries(
      foundRoute.names.map((name, n) => [name, decodeURIComponent(values[n] ?? "")]),
    ),
    query: Object.fromEntries(searchParams),
    ...(body === undefined ? {} : { body }),
  };
}
