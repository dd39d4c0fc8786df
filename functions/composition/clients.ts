import type { Clients, Overrides } from "./overrides.ts";

/**
 * Creates a function that creates a value at its first call, and then always returns this value.
 * Mark each call of `once` with `@__PURE__`, so that a bundle omits the clients that its function
 * does not use.
 */
export function once<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

/**
 * Creates a function that returns an AWS client: the client `name` in the overrides, or otherwise
 * one client for the process, which `make` creates at the first use. Mark each call of `client`
 * with `@__PURE__`, as for `once`.
 */
export function client<Name extends keyof Clients>(
  name: Name,
  make: () => Clients[Name],
): (overrides: Overrides) => Clients[Name] {
  const own = once(make);
  return ({ clients = {} }) => clients[name] ?? own();
}
