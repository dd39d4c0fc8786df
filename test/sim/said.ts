import { type Task, taskHere } from "./turns.ts";

/** What the service wrote to its log. */
export interface Said {
  readonly text: string;
  /** Whose work it belongs to; undefined outside of any. */
  readonly task: Task | undefined;
}

let heard: Said[] = [];
const hear = (text: string | Uint8Array): true => {
  heard.push({ text: String(text), task: taskHere() });
  return true;
};

/** From now on nothing is shown that anybody writes, and a seed can look through it. */
export function hearAll(): void {
  process.stdout.write = hear;
  process.stderr.write = hear;
}

/** What was said so far under this seed. */
export const said = (): readonly Said[] => heard;

/** A seed begins. */
export function forgetSaid(): void {
  heard = [];
}
