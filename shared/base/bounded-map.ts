/** A map with a maximum number of entries. */
export type BoundedMap<Value> = Pick<Map<string, Value>, "get" | "delete"> & {
  set(key: string, value: Value): void;
};

/**
 * Creates a map of at most `max` entries. If the map is full, a new entry replaces the entry that
 * was set least recently.
 */
export function boundedMap<Value>(max: number): BoundedMap<Value> {
  const entries = new Map<string, Value>();
  return {
    get: (key) => entries.get(key),
    delete: (key) => entries.delete(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size > max) entries.delete(entries.keys().next().value ?? key);
    },
  };
}
