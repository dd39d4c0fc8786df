import type { Clients, Overrides } from "./overrides.ts";

/**
 * Returns a function that creates a value at its first call and then returns the same value. Mark
 * each call of `once` with `@__PURE__`, so that a bundle omits the clients that its function does
 * not use.
 */
export function once<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

/**
 * Returns a function that selects an AWS client: the client `name` in the overrides, if there is
 * one. Otherwise the process has one client, which `make` creates at the first use. Mark each call
 * of `client` with `@__PURE__`, as for `once`.
 */
export function client<Name extends keyof Clients>(
  name: Name,
  make: () => Clients[Name],
): (overrides: Overrides) => Clients[Name] {
  const own = once(make);
  return ({ clients = {} }) => clients[name] ?? own();
}
