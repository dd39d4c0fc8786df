/** Returns a function that calls `make` at its first call, and then returns the same value. */
export function once<Value>(make: () => Value): () => Value {
  let cachedResult: { readonly value: Value } | undefined;
  return () => (cachedResult ??= { value: make() }).value;
}
