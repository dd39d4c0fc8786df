import type { Serializable } from "node:child_process";
import { once } from "node:events";
import { startBundled } from "../measure/lambda-process.ts";

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
 * Bundles a script and starts it in a new process. Resolves when the process accepts tasks.
 * @param script The script, which must call `doTasks`.
 * @param variables Additional environment variables of the process.
 * @param megabytes The memory of the Lambda function whose heap limits the process gets. If it is
 * absent, the limits are the defaults of Node.js.
 */
export async function startTaskProcess<Task extends Serializable, Result>(
  script: URL,
  variables: Readonly<Record<string, string>> = {},
  megabytes?: number,
): Promise<TaskProcess<Task, Result>> {
  const child = startBundled(script, variables, megabytes);
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
