import { useEffect, useRef } from "preact/hooks";

/** Calls `refresh` whenever `value` changes, but not when the component mounts. */
export function useRefreshOnChange(refresh: () => void, value: string | number | null): void {
  const before = useRef(value);
  useEffect(() => {
    if (before.current === value) return;
    before.current = value;
    refresh();
  }, [value, refresh]);
}
