import type { Serializable } from "node:child_process";

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
