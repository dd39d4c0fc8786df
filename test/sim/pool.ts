import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Played } from "./play.ts";
import type { Job } from "./worker.ts";

/** Worker processes that run seeds in parallel. Each has a separate DynamoDB engine. */
export interface WorkerPool {
  /** Runs the jobs in any order. Calls `onPlayed` after each job. */
  play(jobs: Iterable<Job>, onPlayed: (played: Played, job: Job) => void): Promise<void>;
  stop(): Promise<void>;
}

export interface PoolOptions {
  /**
   * The number of worker processes.
   * @default the number of CPU cores
   */
  readonly workers?: number;
  /**
   * The root folder of the code to run.
   * @default this project
   */
  readonly root?: string;
}

/**
 * Starts worker processes and waits until they are ready.
 * @throws Error if a process exits before it is ready
 */
export async function startPool({
  workers = availableParallelism(),
  root = join(import.meta.dirname, "../.."),
}: PoolOptions = {}): Promise<WorkerPool> {
  const children = await Promise.all(Array.from({ length: workers }, () => startWorker(root)));
  return {
    async play(jobs, onPlayed) {
      const waiting = jobs[Symbol.iterator]();
      await Promise.all(children.map((child) => drain(child, waiting, onPlayed)));
    },
    async stop() {
      await Promise.all(
        children.map(async (child) => {
          if (child.exitCode !== null) return;
          const exited = once(child, "exit");
          child.disconnect();
          await exited;
        }),
      );
    },
  };
}

async function startWorker(root: string): Promise<ChildProcess> {
  const child = fork(join(root, "test/sim/worker.ts"), {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const [first] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [unknown];
  if (first !== "ready") throw new Error(`A simulation worker did not start: ${stderr}`);
  return child;
}

async function drain(
  child: ChildProcess,
  waiting: Iterator<Job>,
  onPlayed: (played: Played, job: Job) => void,
): Promise<void> {
  for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
    onPlayed(await answerOf(child, next.value), next.value);
  }
}

function answerOf(child: ChildProcess, job: Job): Promise<Played> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void =>
      reject(new Error(`A simulation worker exited with code ${code}`));
    child.once("exit", onExit);
    child.once("message", (played: Played) => {
      child.off("exit", onExit);
      resolve(played);
    });
    child.send(job);
  });
}
