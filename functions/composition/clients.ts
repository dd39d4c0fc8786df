import type { Clients, Overrides } from "./overrides.ts";

/**
 * Returns a function that calls `make` at its first call, and returns the value of this call at
 * every call. Mark each call at module level with `@__PURE__`: the bundle of a Lambda function then
 * omits the clients that the function does not use.
 */
export function once<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

/**
 * Returns a function that takes overrides and returns an AWS client. If the overrides contain the
 * client `name`, the function returns that client. Otherwise it calls `make` once, and returns the
 * same client for the whole process. Mark each call at module level with `@__PURE__`, as for
 * `once`.
 */
export function client<Name extends keyof Clients>(
  name: Name,
  make: () => Clients[Name],
): (overrides: Overrides) => Clients[Name] {
  const own = once(make);
  return ({ clients = {} }) => clients[name] ?? own();
}
