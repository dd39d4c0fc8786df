import { type Task, currentTask } from "./task-scheduler.ts";

/** Text that the service wrote to its log. */
export interface CapturedText {
  readonly text: string;
  /** The task that wrote it; undefined outside of tasks. */
  readonly task: Task | undefined;
}

let captured: CapturedText[] = [];
const capture = (text: string | Uint8Array): true => {
  captured.push({ text: String(text), task: currentTask() });
  return true;
};

/** Redirects all output of this process into memory, where the checks read it. */
export function captureOutput(): void {
  process.stdout.write = capture;
  process.stderr.write = capture;
}

/** Returns the output of the current seed. */
export const capturedLog = (): readonly CapturedText[] => captured;

/** Discards the captured output before a seed starts. */
export function clearCapturedLog(): void {
  captured = [];
}
