import { useEffect, useState } from "preact/hooks";

const restMilliseconds = 250;

/**
 * Returns a value once it has not changed for 250 ms, so that fast typing causes only one call.
 * Returns the first value immediately. Values with the same JSON count as equal.
 */
export function useDebounced<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMilliseconds);
    return () => clearTimeout(timer);
  }, [JSON.stringify(value)]);
  return rested;
}
