/** Runs tasks one after the other. No further task starts after a failure. */
export interface TaskChain {
  /**
   * Adds a task, and resolves when the task has succeeded. The caller need not await the promise,
   * because `done` and later tasks report the failure too.
   * @throws the error of this task or of an earlier one
   */
  add(task: () => Promise<void>): Promise<void>;
  /** Resolves when all tasks have succeeded. @throws the error of the first failed task */
  done(): Promise<void>;
  /** True as soon as a task has failed. */
  hasFailed(): boolean;
}

/**
 * Creates an empty chain, which runs the added tasks one after the other. After a task has failed,
 * no further task starts.
 */
export function taskChain(): TaskChain {
  let last: Promise<void> = Promise.resolve();
  let isFailed = false;
  return {
    add(task) {
      last = last.then(task);
      last.catch(() => {
        isFailed = true;
      });
      return last;
    },
    done: () => last,
    hasFailed: () => isFailed,
  };
}
