import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import type { DataFolder } from "./data-folder.ts";
import { serveFrom } from "./local-server.ts";

/** A DynamoDB engine that the local world uses. */
export interface DynamoServer {
  readonly endpoint: string;
  /**
   * False if DYNAMODB_ENDPOINT names an external database. Its tables are not in the data folder,
   * so they remain when the folder is emptied.
   */
  readonly ours: boolean;
  readonly stop: () => Promise<void>;
}

/**
 * A shell command that kills the database when this process ends. The shell reads from a pipe that
 * this process keeps open. When the process ends, even by `kill -9`, the pipe closes and the shell
 * kills the database.
 */
const tiedToParent = `"$0" "$@" & c=$!; echo $c > "$PID_FILE"; cat >/dev/null; kill -9 $c; wait $c`;

const startMillisecondsMax = 10_000;

/**
 * Starts a DynamoDB engine on a file in the data folder. If DYNAMODB_ENDPOINT is set, uses that
 * endpoint instead.
 * @throws Error if DynamoDB does not start within 10 s, or if there is no binary for this machine
 */
export async function startDynamo(folder: DataFolder): Promise<DynamoServer> {
  const external = process.env["DYNAMODB_ENDPOINT"];
  if (external) return { endpoint: external, ours: false, stop: async () => {} };
  const database = folder.file("dynamo.db");
  await endStale(folder.file("dynamo.pid"), database);
  const port = await freePort();
  const child = spawn(
    "sh",
    ["-c", tiedToParent, binary(), "serve", "--port", `${port}`, "--db-path", database],
    {
      // A separate process group, so that Ctrl-C does not end the database before the requests in
      // flight.
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"],
        PID_FILE: folder.file("dynamo.pid"),
        // A second thread of the database would only wait for the first thread, and would use a
        // tenth of the database's processor time.
        TOKIO_WORKER_THREADS: "1",
      },
    },
  );
  await waitUntilListening(child);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    ours: true,
    async stop() {
      const ended = once(child, "exit");
      child.stdin?.end();
      await ended;
    },
  };
}

function binary(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}/dynoxide`;
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    throw new Error(
      `The package ${name} is not installed. Run npm install, or set DYNAMODB_ENDPOINT to the address of a local DynamoDB.`,
    );
  }
}

async function freePort(): Promise<number> {
  const probe = await serveFrom(0, () => {});
  await probe.close();
  return probe.port;
}

async function waitUntilListening(child: ChildProcess): Promise<void> {
  let output = "";
  const listening = new Promise<true>((resolve) => {
    const note = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes("listening")) resolve(true);
    };
    child.stdout?.on("data", note);
    child.stderr?.on("data", note);
  });
  const late = delay(startMillisecondsMax, false as const, { ref: false });
  if (await Promise.race([listening, late])) return;
  child.stdin?.end();
  throw new Error(
    `DynamoDB did not start within ${startMillisecondsMax / 1_000} s. Fix the cause that its output shows, then start again. The output: ${output || "none"}`,
  );
}

/**
 * Kills a database process that an earlier world left running on the same file. Two processes on
 * one file would corrupt it.
 * @throws Error if the process cannot be killed
 */
async function endStale(pidFile: string, database: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8"));
  for (let waited = 0; runs(pid, database); waited += 20) {
    if (waited > startMillisecondsMax)
      throw new Error(
        `Process ${pid} still uses ${database} and could not be killed. End the process, then try again.`,
      );
    process.kill(pid, "SIGKILL");
    await delay(20);
  }
}

function runs(pid: number, database: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    const command = execFileSync("ps", ["-o", "stat=,args=", "-p", `${pid}`], { encoding: "utf8" });
    return !command.startsWith("Z") && command.includes(database);
  } catch {
    return false;
  }
}
