/** Bounds how many calls run at once, first come first served. */
export interface Slots {
  /** Resolves when there is a slot, which must be given back. Leaves the queue when aborted. */
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
