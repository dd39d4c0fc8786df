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
 * Runs `work`, then all functions that it registered, in reverse order, even after a failure. A
 * function that fails does not prevent the others.
 */
export async function withEnds<Result>(work: (onEnd: OnEnd) => Promise<Result>): Promise<Result> {
  const ends: (() => Promise<void> | void)[] = [];
  try {
    return await work((end) => ends.push(end));
  } finally {
    for (const end of ends.toReversed()) {
      try {
        await end();
      } catch (error) {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      }
    }
  }
}
