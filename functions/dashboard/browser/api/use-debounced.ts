import { useEffect, useState } from "preact/hooks";

const restMilliseconds = 250;

/**
 * Returns the newest `value` that has not changed for 250 ms, so that fast typing causes only one
 * call. Until the 250 ms are over, returns the earlier value. Returns the first value immediately.
 * Values with the same JSON count as equal.
 */
export function useDebounced<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMilliseconds);
    return () => clearTimeout(timer);
  }, [JSON.stringify(value)]);
  return rested;
}
