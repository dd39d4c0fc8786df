import { type Task, currentTask } from "./task-scheduler.ts";

/** A string that the service wrote to its log. */
export interface CapturedText {
  readonly text: string;
  /** The task that wrote the text; undefined if no task was running. */
  readonly task: Task | undefined;
}

let captured: CapturedText[] = [];
const capture = (text: string | Uint8Array): true => {
  captured.push({ text: String(text), task: currentTask() });
  return true;
};

/**
 * Redirects all output of this process into memory until the process ends, so that the checks can
 * read the output.
 */
export function captureOutput(): void {
  process.stdout.write = capture;
  process.stderr.write = capture;
}

/** Returns the captured output since the last `clearCapturedLog`. */
export const capturedLog = (): readonly CapturedText[] => captured;

/** Deletes the captured output. Call it before each seed. */
export function clearCapturedLog(): void {
  captured = [];
}
