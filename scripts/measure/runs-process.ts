import { fork } from "node:child_process";
import { once } from "node:events";
import type { WorldCounts, WorldReady, WorldRequest } from "./runs-world.ts";

const patienceMs = 120_000;

type Answered = Readonly<Record<string, unknown>>;

/** The local world of `runs-world.ts`, in a separate process. */
export interface RunsWorld {
  readonly ready: WorldReady;
  /** Calls the API with the account's key. Throws if the status is not 2xx. */
  call(method: string, path: string, body?: unknown): Promise<Answered>;
  /** Sends a request to the process; see `WorldRequest`. */
  send(request: WorldRequest): void;
  /** Resolves when the next run or sweeper pass has ended. Rejects after two minutes. */
  finished(): Promise<void>;
  /** Returns the resources that were used since the previous call. */
  take(): Promise<WorldCounts>;
  stop(): Promise<void>;
}

/**
 * Starts a local world for measured runs in a separate process, and resolves when the world is
 * ready. The `call` of the result rejects if the status is not 2xx.
 * @param variables environment variables for the process, in addition to the variables of this
 * process
 * @param onOutput receives the output of the world and its functions; if it is absent, the output
 * is printed
 */
export async function startRunsWorld(
  variables: Record<string, string>,
  onOutput?: (chunk: Buffer) => void,
): Promise<RunsWorld> {
  const child = fork(new URL("runs-world.ts", import.meta.url).pathname, {
    env: { ...process.env, ...variables },
    stdio: ["inherit", onOutput === undefined ? "inherit" : "pipe", "inherit", "ipc"],
  });
  if (onOutput !== undefined) child.stdout?.on("data", onOutput);
  const [ready] = (await once(child, "message")) as [WorldReady];
  return {
    ready,
    async call(method, path, body) {
      const answer = await fetch(`${ready.baseUrl}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${ready.apiKey}`,
          // Each call uses a new connection. The server may close an idle connection during a run,
          // which would break the next call.
          Connection: "close",
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok)
        throw new Error(
          `${method} ${path} returned HTTP ${answer.status} (expected 2xx): ${text}. Correct the call, or look for its error in the output of the local world.`,
        );
      return JSON.parse(text) as Answered;
    },
    send: (request) => void child.send(request),
    async finished() {
      const late = AbortSignal.timeout(patienceMs);
      await once(child, "message", { signal: late });
    },
    async take() {
      child.send("take");
      const [{ counts }] = (await once(child, "message")) as [{ counts: WorldCounts }];
      return counts;
    },
    async stop() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}
