import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { setImmediate as settled } from "node:timers/promises";
import type { Random } from "./random.ts";

/** One piece of work; several go on beside each other, call by call. */
export interface Task {
  readonly name: string;
  state: "working" | "done" | "failed" | "dead";
  /** True once it stood still for long before one of its calls. */
  stoodStill?: boolean;
  error?: unknown;
}

export interface Call<T> {
  readonly label: string;
  readonly effect: () => Promise<T>;
  /** The call is made so many milliseconds later at the earliest. */
  readonly delay?: number;
  /** The call waits while this returns false. Only other calls may change the result. */
  readonly isOpen?: () => boolean;
}

/** What stands still before a call until it is its turn. */
interface Parked {
  readonly task: Task;
  readonly label: string;
  readonly readyAt: number;
  readonly isOpen: () => boolean;
  readonly make: () => Promise<void>;
}

/**
 * Lets tasks go on one call at a time, in an order that follows from the seed alone, by a clock
 * that only this moves. Whatever a task waits for is one of these calls, or another task.
 */
export interface Turns {
  /** Milliseconds since 1970. */
  now(): number;
  /** Moves the clock on; never back. */
  jumpTo(time: number): void;
  /** Begins work; what it calls belongs to the task. `onEnd` is told once, also of a death. */
  begin(name: string, work: () => Promise<void>, onEnd?: (task: Task) => void): Task;
  working(): readonly Task[];
  /** The task that is going on. @throws Error outside of one */
  current(): Task;
  /** Makes a call when it is its task's turn. Never ends for a task that is dead. */
  call<T>(call: Call<T>): Promise<T>;
  /** The task ends here and now: none of its calls is made any more, nor answered. */
  kill(task: Task): void;
  isReady(): boolean;
  /** Lets one call happen, and everything that follows from its answer before the next one. */
  turn(): Promise<void>;
  /** When the next call may happen; undefined when nobody waits. */
  nextReadyAt(): number | undefined;
  note(line: string): void;
  /**
   * Content that no line shows, but that two plays of a seed have to share: JSON, but for the order
   * of its members, as the engine gives those of a map in any.
   */
  saw(content: string): void;
  readonly trace: readonly string[];
  /** Of the whole trace, and of what was seen besides. */
  hash(): string;
}

/** The longest that one call takes, in milliseconds. */
const usualCallMsMax = 40;

const tasks = new AsyncLocalStorage<Task>();

/** The task that the caller belongs to; undefined outside of any. */
export const taskHere = (): Task | undefined => tasks.getStore();

export function seededTurns(
  start: Date,
  random: Random,
  callMsMax: number = usualCallMsMax,
): Turns {
  let now = start.getTime();
  let parked: Parked[] = [];
  const working = new Map<Task, (task: Task) => void>();
  const trace: string[] = [];
  const contents = createHash("sha256");
  const note = (line: string): void => {
    trace.push(`${new Date(now).toISOString().slice(5, 23)} ${line}`);
  };
  const current = (): Task => {
    const task = taskHere();
    if (task === undefined) throw new Error("A call belongs to a task");
    return task;
  };
  const end = (task: Task, state: "done" | "failed" | "dead", error?: unknown): void => {
    const onEnd = working.get(task);
    if (onEnd === undefined) return;
    working.delete(task);
    task.state = state;
    task.error = error;
    note(`${task.name} ${state}${error instanceof Error ? `: ${error.name}` : ""}`);
    onEnd(task);
  };
  const isReady = ({ readyAt, isOpen }: Parked): boolean => readyAt <= now && isOpen();
  const turn = async (): Promise<void> => {
    const next = random.pick(parked.filter(isReady));
    parked = parked.filter((one) => one !== next);
    now += random.between(1, callMsMax);
    await next.make();
    await settled();
  };
  return {
    now: () => now,
    jumpTo(time) {
      now = Math.max(now, time);
    },
    begin(name, work, onEnd = () => {}) {
      const task: Task = { name, state: "working" };
      working.set(task, onEnd);
      note(`${name} begins`);
      tasks.run(task, work).then(
        () => end(task, "done"),
        (error: unknown) => end(task, "failed", error),
      );
      return task;
    },
    working: () => [...working.keys()],
    current,
    call({ label, effect, delay = 0, isOpen = () => true }) {
      const task = current();
      return new Promise((resolve, reject) => {
        if (task.state === "dead") return;
        const make = async (): Promise<void> => {
          try {
            const result = await effect();
            note(`${task.name} ${label}`);
            if (task.state !== "dead") resolve(result);
          } catch (error) {
            note(`${task.name} ${label} -> ${error instanceof Error ? error.name : "error"}`);
            if (task.state !== "dead") reject(error);
          }
        };
        parked.push({ task, label, readyAt: now + delay, isOpen, make });
      });
    },
    kill(task) {
      parked = parked.filter((one) => one.task !== task);
      end(task, "dead");
    },
    isReady: () => parked.some(isReady),
    turn,
    nextReadyAt() {
      const open = parked.filter(({ isOpen }) => isOpen());
      return open.length === 0 ? undefined : Math.min(...open.map(({ readyAt }) => readyAt));
    },
    note,
    trace,
    saw: (content) =>
      void contents.update(
        content
          .split(/[{},[\]]/)
          .toSorted()
          .join(),
      ),
    hash: () => contents.copy().update(trace.join("\n")).digest("hex"),
  };
}
