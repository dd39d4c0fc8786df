/**
 * Returns a function that calls `make` at its first call only, and returns the value of `make` at
 * every call.
 */
export function once<Value>(make: () => Value): () => Value {
  let cachedResult: { readonly value: Value } | undefined;
  return () => (cachedResult ??= { value: make() }).value;
}
