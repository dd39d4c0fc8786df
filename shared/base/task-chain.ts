/** Tasks that run one after the other. After one has failed none is begun. */
export interface TaskChain {
  /**
   * Adds a task. It may be left alone: `done` and later tasks report its failure.
   * @throws what the task, or one before it, failed with
   */
  add(task: () => Promise<void>): Promise<void>;
  /** @throws what the first failed task failed with */
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
