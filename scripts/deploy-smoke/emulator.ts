import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../tools/local/free-port.ts";

export interface EmulatorOptions {
  /** The path of a Python interpreter that has the emulator's package. */
  readonly python: string;
  /** An additional address at which the emulator listens; null for 127.0.0.1 only. */
  readonly address: string | null;
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly logFile: string;
}

/** A running AWS emulator. */
export interface Emulator {
  /** The endpoint of all AWS services, on loopback. */
  readonly endpoint: string;
  readonly port: number;
  readonly stop: () => Promise<void>;
}

const startSecondsMax = 60;

/**
 * Starts the emulator in its strictest mode: every request must be signed, allowed by the policies
 * of the templates, and sent over TLS. The emulator stores all data in memory.
 * @throws Error if the emulator is not ready within 60 s
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { python, address, certificateFile, keyFile, logFile } = options;
  const port = await freePort();
  const log = openSync(logFile, "a");
  const child = spawn(
    python,
    [
      "-m",
      "hypercorn",
      "ministack.app:app",
      "--keep-alive",
      "75",
      "--certfile",
      certificateFile,
      "--keyfile",
      keyFile,
      "--bind",
      `127.0.0.1:${port}`,
      ...(address === null ? [] : ["--bind", `[${address}]:${port}`]),
    ],
    {
      env: {
        ...process.env,
        AUTH: "true",
        USE_SSL: "1",
        MINISTACK_SSL_CERT: certificateFile,
        MINISTACK_SSL_KEY: keyFile,
        MINISTACK_HOST: "127.0.0.1",
        GATEWAY_PORT: String(port),
      },
      stdio: ["ignore", log, log],
      // A separate process group, so that the processes of functions can be ended together with the
      // emulator.
      detached: true,
    },
  );
  const endGroup = (): void => endProcessGroup(child);
  process.once("exit", endGroup);
  const endpoint = `https://127.0.0.1:${port}`;
  await untilHealthy(endpoint, child, logFile);
  return {
    endpoint,
    port,
    async stop() {
      process.off("exit", endGroup);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      endGroup();
      await ended;
    },
  };
}

async function untilHealthy(endpoint: string, child: ChildProcess, logFile: string): Promise<void> {
  const deadline = Date.now() + startSecondsMax * 1_000;
  while (!(await isHealthy(endpoint))) {
    if (child.exitCode !== null)
      throw new Error(`The emulator exited before it was ready. See ${logFile} for the cause.`);
    if (Date.now() > deadline) {
      throw new Error(
        `The emulator was not ready within ${startSecondsMax} s. See ${logFile} for the cause.`,
      );
    }
    await delay(200);
  }
}

async function isHealthy(endpoint: string): Promise<boolean> {
  try {
    return (await fetch(`${endpoint}/_ministack/health`)).ok;
  } catch {
    return false;
  }
}

function endProcessGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process had already ended.
  }
}
