/** Runs tasks one after the other. After a failure no further task starts. */
export interface TaskChain {
  /**
   * Adds a task. The promise need not be awaited: `done` and later tasks report the failure too.
   * @throws the error of this task or of an earlier one
   */
  add(task: () => Promise<void>): Promise<void>;
  /** Waits for all tasks. @throws the error of the first failed task */
  done(): Promise<void>;
  hasFailed(): boolean;
}

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
