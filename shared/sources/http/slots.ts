/** Limits the concurrent calls, first come first served. */
export interface Slots {
  /** Resolves to true with a slot, which the caller must return. Resolves to false when aborted. */
  take(signal: AbortSignal): Promise<boolean>;
  give(): void;
}

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
