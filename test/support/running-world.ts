import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type ApiClient, apiClient } from "../../tools/customer/api-client.ts";
import { documented } from "./openapi.ts";
import { openWorldFolder, removeWorldFolder } from "./world-folder.ts";

/** The content of the file `ready.json`. */
export type Ready = Readonly<Record<string, string>>;

/** `npm start` in a separate process, on a separate data folder. A test can kill and restart it. */
export interface RunningWorld {
  readonly api: ApiClient;
  readonly ready: Ready;
  /** The path of the data folder. */
  readonly folder: string;
  /** Ends the process with SIGKILL. The data folder stays. */
  kill(): Promise<void>;
  /** Starts `npm start` again on the data folder, and waits until the world is ready. */
  start(): Promise<void>;
  /** Ends the process with SIGTERM, and deletes the data folder. */
  dispose(): Promise<void>;
}

const startScript = new URL("../../scripts/start.ts", import.meta.url).pathname;

/**
 * Starts `npm start` and waits until the world is ready.
 * @param options command-line options of `npm start`
 * @throws Error if the process exits before the world is ready; there is no time limit
 */
export async function startRunningWorld(
  options: readonly string[] = ["--empty-demo"],
): Promise<RunningWorld> {
  const dir = openWorldFolder();
  let child: ChildProcess | undefined;
  let ready: Ready = {};
  const start = async (): Promise<void> => {
    rmSync(join(dir, "ready.json"), { force: true });
    child = spawn(process.execPath, [startScript, ...options], {
      env: { ...process.env, LOCAL_DIR: dir, PORT: "0", POWERTOOLS_LOG_LEVEL: "SILENT" },
      stdio: ["ignore", "ignore", "inherit"],
    });
    while (!existsSync(join(dir, "ready.json"))) {
      if (child.exitCode !== null) throw new Error("`npm start` exited before it was ready");
      await delay(50);
    }
    ready = JSON.parse(readFileSync(join(dir, "ready.json"), "utf8")) as Ready;
  };
  const end = async (signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  await start();
  return {
    get api() {
      return documented(apiClient(ready["base_url"] ?? "", ready["api_key"] ?? ""));
    },
    get ready() {
      return ready;
    },
    folder: dir,
    kill: () => end("SIGKILL"),
    start,
    async dispose() {
      await end("SIGTERM");
      removeWorldFolder(dir);
    },
  };
}

/**
 * Polls until `ask` returns a value other than undefined, and returns this value.
 * @throws Error after `seconds`, with `what` in its message
 */
export async function eventually<T>(
  what: string,
  seconds: number,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`Timed out after ${seconds} s: ${what}`);
    await delay(50);
  }
}
