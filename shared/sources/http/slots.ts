/**
 * Limits the number of concurrent calls to a source. Waiting calls get slots in the order of their
 * requests.
 */
export interface Slots {
  /**
   * Waits for a free slot. Resolves to true when the caller has a slot, which it must release with
   * `give`. Resolves to false if the signal aborts first.
   */
  take(signal: AbortSignal): Promise<boolean>;
  /** Releases a slot to the call that has waited longest. */
  give(): void;
}

/**
 * Creates a limit of `count` concurrent calls. Further calls wait until a slot is free or their
 * signal aborts. The call that has waited longest gets the next free slot.
 */
export function slots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();
  return {
    async take(signal) {
      if (signal.aborted) return false;
      if (free > 0) {
        free -= 1;
        return true;
      }
      return new Promise((resolve) => {
        const leave = (): void => {
          waiting.delete(enter);
          resolve(false);
        };
        const enter = (): void => {
          signal.removeEventListener("abort", leave);
          resolve(true);
        };
        waiting.add(enter);
        signal.addEventListener("abort", leave, { once: true });
      });
    },
    give() {
      const [next] = waiting;
      if (next === undefined) {
        free += 1;
        return;
      }
      waiting.delete(next);
      next();
    },
  };
}
