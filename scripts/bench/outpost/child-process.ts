import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** A program to start. */
export interface Program {
  /** The name in messages and of the log file. */
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** All environment variables of the process, except PATH. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The folder of the log file and the working folder of the process. */
  readonly folder: string;
  /** The user of the process. @default the user of the bench */
  readonly user?: Pick<SpawnOptions, "uid" | "gid">;
}

/** A started process, whose output goes to a log file. */
export interface StartedProcess {
  readonly pid: number;
  /** Waits until `isReady` returns true. @throws Error after 60 s, or if the process ends before */
  untilReady(isReady: () => boolean | Promise<boolean>): Promise<void>;
  /** Waits until the process ends. @throws Error if its exit code is not 0 */
  untilDone(): Promise<void>;
  /** Sends `signal` to the process, and waits for its end. Kills its group after 15 s. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const readyMsMax = 60_000;
const stopMsMax = 15_000;
const loopback = "127.0.0.1";

/**
 * Starts a program in a process group. The group is killed when the process of the bench ends, even
 * without a call of `stop`.
 */
export function startProcess(program: Program): StartedProcess {
  const { name, file, args, variables = {}, folder, user = {} } = program;
  const logFile = join(folder, `${name}.log`);
  const log = openSync(logFile, "a");
  const child = spawn(file, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...variables },
    stdio: ["ignore", log, log],
    detached: true,
    ...user,
  });
  closeSync(log);
  let failure: Error | null = null;
  child.once("error", (error) => {
    failure = error;
  });
  // The process must not keep the bench alive after a failure.
  child.unref();
  const killGroup = (): void => signalGroup(child, "SIGKILL");
  // The handler that deletes the folder of the log was added before, and must run after this one.
  process.prependOnceListener("exit", killGroup);
  const failed = (problem: string): Error => {
    const lines = readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-10).join("\n");
    return new Error(`${name} ${problem}. Correct the cause. Its log ends with:\n${lines}`, {
      cause: failure,
    });
  };
  const hasEnded = (): boolean =>
    failure !== null || child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    async untilReady(isReady) {
      const deadline = performance.now() + readyMsMax;
      while (!(await isReady())) {
        if (hasEnded()) throw failed("ended before it was ready");
        if (performance.now() > deadline) throw failed(`was not ready within ${readyMsMax} ms`);
        await delay(50);
      }
    },
    async untilDone() {
      child.ref();
      if (!hasEnded()) await once(child, "exit");
      if (child.exitCode !== 0) throw failed(`failed (exit code ${child.exitCode})`);
    },
    async stop(signal = "SIGTERM") {
      if (!hasEnded()) {
        child.ref();
        const ended = once(child, "exit");
        child.kill(signal);
        const timer = setTimeout(killGroup, stopMsMax);
        await ended;
        clearTimeout(timer);
      }
      killGroup();
      process.off("exit", killGroup);
    },
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // All processes of the group have ended.
  }
}

/** Returns true if a server accepts connections at a port of 127.0.0.1. */
export async function acceptsConnections(port: number): Promise<boolean> {
  const socket = connect(port, loopback);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
