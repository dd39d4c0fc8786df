import type { DeliveryTask } from "../delivery/task.ts";

/** A service whose deliveries the bench measures. */
export interface MeasuredService {
  readonly name: string;
  /** The process whose peak memory is measured. */
  readonly pid: number;
  /**
   * Publishes the events of the runs of a task, which the service delivers to the receiver. Some
   * deliveries may still be pending when the promise resolves.
   * @returns The time at which the publication began, in milliseconds since 1970.
   */
  deliver(task: DeliveryTask): Promise<number>;
  /** Waits until the service has no pending work. Returns its CPU time so far in milliseconds. */
  cpuMs(): Promise<number>;
  /** Checks the rows that the service stored. @throws Error if they contradict each other */
  check?(): Promise<void>;
}

/** Registers a function that ends a process or a server. */
export type OnEnd = (end: () => Promise<void> | void) => void;

/**
 * Runs `work`, then all functions that `work` registered, in reverse order, even after a failure.
 * If one of these functions fails, the others still run. `work` can also call `endAll`, to run the
 * functions before an exit of the process.
 * @returns the result of `work`
 */
export async function withEnds<Result>(
  work: (onEnd: OnEnd, endAll: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const ends: (() => Promise<void> | void)[] = [];
  const runEnds = async (): Promise<void> => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
      try {
        await end();
      } catch (error) {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      }
    }
  };
  let ending: Promise<void> | null = null;
  const endAll = (): Promise<void> => (ending ??= runEnds());
  try {
    return await work((end) => ends.push(end), endAll);
  } finally {
    await endAll();
  }
}
