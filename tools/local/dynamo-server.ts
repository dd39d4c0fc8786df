import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import type { DataFolder } from "./data-folder.ts";
import { serveFrom } from "./local-server.ts";

export interface DynamoServer {
  readonly endpoint: string;
  /** False when the endpoint is somebody else's: its tables outlive the data folder. */
  readonly ours: boolean;
  readonly stop: () => Promise<void>;
}

/**
 * The shell holds our end of a pipe: when this process ends, even by `kill -9`, the pipe closes and
 * the shell takes the database down with it.
 */
const tiedToUs = `"$0" "$@" & c=$!; echo $c > "$PID_FILE"; cat >/dev/null; kill -9 $c; wait $c`;

const startMillisecondsMax = 10_000;

/** DynamoDB over the data folder, or the endpoint that DYNAMODB_ENDPOINT names instead. */
export async function startDynamo(folder: DataFolder): Promise<DynamoServer> {
  const external = process.env["DYNAMODB_ENDPOINT"];
  if (external) return { endpoint: external, ours: false, stop: async () => {} };
  const database = folder.file("dynamo.db");
  await endStale(folder.file("dynamo.pid"), database);
  const port = await freePort();
  const child = spawn(
    "sh",
    ["-c", tiedToUs, binary(), "serve", "--port", `${port}`, "--db-path", database],
    {
      // Its own process group, so that Ctrl-C leaves it up until what is in flight has ended.
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], PID_FILE: folder.file("dynamo.pid") },
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
      `There is no ${name} for this machine. Set DYNAMODB_ENDPOINT to a DynamoDB that runs here.`,
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
  throw new Error(`DynamoDB did not start: ${output}`);
}

/** Ends a database that a world before us left on the same file; two of them would diverge. */
async function endStale(pidFile: string, database: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8"));
  for (let waited = 0; runs(pid, database); waited += 20) {
    if (waited > startMillisecondsMax) throw new Error(`Process ${pid} holds ${database}`);
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
