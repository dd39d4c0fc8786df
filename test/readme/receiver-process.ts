import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../tools/local/free-port.ts";

export interface ReceiverOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Folder of the receiver's inbox. */
  readonly folder: string;
  readonly secrets: readonly string[];
}

/** A receiver of docs/webhooks.md, in a separate process. */
export interface ReceiverProcess {
  readonly url: string;
  /** Returns the lines printed so far. */
  readonly lines: () => readonly string[];
  /** Resolves when the output contains the text. */
  printed(text: string): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const patienceMs = 120_000;

/**
 * Starts a receiver. Resolves when the receiver accepts connections.
 * @throws Error with the output if the receiver exits, or does not listen within two minutes
 */
export async function startReceiverProcess(options: ReceiverOptions): Promise<ReceiverProcess> {
  const { command, args, folder, secrets } = options;
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRETS: secrets.join(",") };
  const child = spawn(command, args, { cwd: folder, env });
  let output = "";
  let complaints = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()));
  const lines = (): string[] => output.split("\n").filter((line) => line !== "");
  const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
    for (const end = Date.now() + patienceMs; !(await isSo()); await delay(10)) {
      if (Date.now() > end || child.exitCode !== null) {
        throw new Error(
          `The receiver exited or timed out. It printed:\n${output}\nand:\n${complaints}`,
        );
      }
    }
  };
  await until(() => isListening(port));
  return {
    url: `http://127.0.0.1:${port}/hook`,
    lines,
    printed: (text) => until(() => output.includes(text)),
    stop: (signal = "SIGTERM") => stopped(child, signal),
  };
}

async function stopped(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
