import { useEffect, useState } from "preact/hooks";

const restMilliseconds = 350;

/**
 * A value once it has not changed for a moment, so that not every key pressed asks the service.
 * Values are the same when their JSON is.
 */
export function useDebounced<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMilliseconds);
    return () => clearTimeout(timer);
  }, [JSON.stringify(value)]);
  return rested;
}
