import { type Task, taskHere } from "./turns.ts";

/** Text that the service wrote to its log. */
export interface Said {
  readonly text: string;
  /** The task that wrote it; undefined outside of tasks. */
  readonly task: Task | undefined;
}

let heard: Said[] = [];
const hear = (text: string | Uint8Array): true => {
  heard.push({ text: String(text), task: taskHere() });
  return true;
};

/** Redirects all output of this process into memory, where the checks read it. */
export function hearAll(): void {
  process.stdout.write = hear;
  process.stderr.write = hear;
}

/** Returns the output of the current seed. */
export const said = (): readonly Said[] => heard;

/** Discards the captured output before a seed starts. */
export function forgetSaid(): void {
  heard = [];
}
