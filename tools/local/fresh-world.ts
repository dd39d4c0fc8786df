import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { readyFile } from "./ready-file.ts";

/** The content of a local world's `ready.json`. */
const ready = v.object({
  base_url: v.string(),
  api_key: v.string(),
  webhook_receiver_url: v.string(),
  s3_endpoint: v.string(),
  export_bucket: v.string(),
});

/** The addresses and keys of a running local world. */
export interface FreshWorld extends v.InferOutput<typeof ready> {
  readonly dataFolder: string;
}

const startSecondsMax = 120;
const startScript = fileURLToPath(new URL("../../scripts/start.ts", import.meta.url));

/**
 * Starts a local world with `npm start` on an empty data folder, and returns the result of `visit`.
 * Then stops the world and deletes the folder, even after a failure.
 * @param flags Additional arguments of `npm start`.
 * @throws Error if the world does not start.
 * @throws The error of `visit`.
 */
export async function inFreshWorld<Result>(
  flags: readonly string[],
  visit: (world: FreshWorld) => Promise<Result>,
): Promise<Result> {
  const dataFolder = mkdtempSync(join(tmpdir(), "tour-"));
  const child = spawn(process.execPath, [startScript, ...flags], {
    env: { ...process.env, LOCAL_DIR: dataFolder, PORT: "0" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    return await visit({ ...(await untilReady(child, dataFolder)), dataFolder });
  } finally {
    await stop(child);
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

async function untilReady(
  child: ChildProcess,
  dataFolder: string,
): Promise<v.InferOutput<typeof ready>> {
  const file = join(dataFolder, readyFile);
  const deadline = Date.now() + startSecondsMax * 1_000;
  while (!existsSync(file)) {
    if (child.exitCode !== null)
      throw new Error("The local world did not start. Correct its error, which is printed above.");
    if (Date.now() > deadline) {
      throw new Error(
        `The local world was not ready within ${startSecondsMax} s. Repeat the command on a less loaded machine.`,
      );
    }
    await delay(50);
  }
  return v.parse(ready, JSON.parse(readFileSync(file, "utf8")));
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
