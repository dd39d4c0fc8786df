import { createHash } from "node:crypto";
import { setImmediate as settled } from "node:timers/promises";
import type { Random } from "./faulty-random.ts";

/** One piece of work of one process; several go on beside each other, call by call. */
export interface Task {
  readonly name: string;
  state: "working" | "done" | "failed" | "dead";
  error?: unknown;
}

export interface Call<T> {
  readonly label: string;
  readonly effect: () => Promise<T>;
  /** Milliseconds. */
  readonly delay: number;
}

/** What stands still before a call until it is its turn. */
interface Parked {
  readonly task: Task;
  readonly call: () => Promise<void>;
  readyAt: number;
}

/**
 * Lets tasks go on one call at a time, in an order that follows from the seed alone, by a clock
 * that only this moves. Whatever a task waits for has to be one of these calls.
 */
export interface Turns {
  now(): number;
  /** Moves the clock on; never back. */
  jumpTo(time: number): void;
  begin(name: string, work: (task: Task) => Promise<void>): Promise<Task>;
  working(): readonly Task[];
  /** Makes a call when it is the task's turn, after `delay` at least. Never ends for a dead task. */
  call<T>(task: Task, call: Call<T>): Promise<T>;
  /** The process ends here and now: none of its calls is made any more, nor answered. */
  kill(task: Task): void;
  isReady(): boolean;
  /** Lets one call happen. */
  turn(): Promise<void>;
  /** When the next call may happen; undefined when nobody waits. */
  nextReadyAt(): number | undefined;
  note(line: string): void;
  readonly trace: readonly string[];
  /** Of the whole trace. */
  hash(): string;
}

/** The longest that one call takes. */
const callMsMax = 40;

export function seededTurns(start: Date, random: Random): Turns {
  let now = start.getTime();
  let parked: Parked[] = [];
  const tasks = new Set<Task>();
  const trace: string[] = [];
  const note = (line: string): void => {
    trace.push(`${new Date(now).toISOString().slice(11, 23)} ${line}`);
  };
  const isDead = (task: Task): boolean => task.state === "dead";
  const end = (task: Task, state: "done" | "failed", error?: unknown): void => {
    if (isDead(task)) return;
    task.state = state;
    task.error = error;
    tasks.delete(task);
    note(
      `${task.name} ${state}${error instanceof Error ? `: ${error.name} ${error.message}` : ""}`,
    );
  };
  return {
    now: () => now,
    jumpTo(time) {
      now = Math.max(now, time);
    },
    async begin(name, work) {
      const task: Task = { name, state: "working" };
      tasks.add(task);
      note(`${name} begins`);
      work(task).then(
        () => end(task, "done"),
        (error: unknown) => end(task, "failed", error),
      );
      await settled();
      return task;
    },
    working: () => [...tasks],
    call: (task, { label, effect, delay }) =>
      new Promise((resolve, reject) => {
        if (isDead(task)) return;
        const call = async (): Promise<void> => {
          try {
            const result = await effect();
            note(`${task.name} ${label}`);
            if (!isDead(task)) resolve(result);
          } catch (error) {
            note(`${task.name} ${label} -> ${error instanceof Error ? error.name : "error"}`);
            if (!isDead(task)) reject(error);
          }
        };
        parked.push({ task, call, readyAt: now + delay });
      }),
    kill(task) {
      if (isDead(task)) return;
      task.state = "dead";
      tasks.delete(task);
      parked = parked.filter((one) => one.task !== task);
      note(`${task.name} dies`);
    },
    isReady: () => parked.some(({ readyAt }) => readyAt <= now),
    async turn() {
      const next = random.pick(parked.filter(({ readyAt }) => readyAt <= now));
      parked = parked.filter((one) => one !== next);
      now += random.between(1, callMsMax);
      await next.call();
      await settled();
      for (const task of tasks) {
        if (parked.some((one) => one.task === task)) continue;
        throw new Error(`${task.name} waits for something that is no call`);
      }
    },
    nextReadyAt: () =>
      parked.length === 0 ? undefined : Math.min(...parked.map(({ readyAt }) => readyAt)),
    note,
    trace,
    hash: () => createHash("sha256").update(trace.join("\n")).digest("hex"),
  };
}
