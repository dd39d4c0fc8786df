import { fork, type Serializable } from "node:child_process";
import { once } from "node:events";

/**
 * A separate process that runs only the tasks of a bench, one after another. Its CPU time therefore
 * measures only the tasks.
 */
export interface TaskProcess<Task, Result> {
  /**
   * Runs a task and returns its result. Wait for the result before the next call. If the task
   * fails, the process ends and the promise is never settled.
   */
  do(task: Task): Promise<Result>;
  readonly pid: number;
  stop(): void;
}

/**
 * Starts a script in a new process, and resolves when the process accepts tasks.
 * @param script The script, which must call `doTasks`.
 * @param variables Additional environment variables of the process.
 */
export async function startTaskProcess<Task extends Serializable, Result>(
  script: URL,
  variables: Readonly<Record<string, string>> = {},
): Promise<TaskProcess<Task, Result>> {
  const child = fork(script.pathname, { env: { ...process.env, ...variables } });
  await once(child, "message");
  return {
    async do(task) {
      child.send(task);
      const [result] = (await once(child, "message")) as [Result];
      return result;
    },
    pid: child.pid ?? 0,
    stop: () => child.disconnect(),
  };
}

/**
 * Runs the tasks that the bench sends to this process, and ends the process when the bench ends. If
 * a task fails, prints its error and exits with code 1.
 * @param work Runs one task and returns its result.
 */
export function doTasks<Result extends Serializable>(
  work: (task: never) => Result | Promise<Result>,
): void {
  process.on("message", async (task: unknown) => {
    try {
      process.send?.(await work(task as never));
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    }
  });
  process.once("disconnect", () => process.exit(0));
  process.send?.("ready");
}
