import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { setImmediate as settled } from "node:timers/promises";
import type { Random } from "./random.ts";

/**
 * A unit of work that runs at the same time as others. The scheduler interleaves the calls of all
 * tasks.
 */
export interface Task {
  readonly name: string;
  /** The virtual time at which the task started, in milliseconds since 1970. */
  readonly startedAt: number;
  state: "working" | "done" | "failed" | "dead";
  /** True if the task once paused for a long time before one of its calls. */
  hasPaused?: boolean;
  error?: unknown;
}

export interface Call<T> {
  readonly label: string;
  readonly effect: () => Promise<T>;
  /** The minimum delay in milliseconds. */
  readonly delay?: number;
  /** The call waits while this function returns false. Only other calls may change the result. */
  readonly isOpen?: () => boolean;
}

/** A call that waits to be scheduled. */
interface Parked {
  readonly task: Task;
  readonly label: string;
  readonly readyAt: number;
  readonly isOpen: () => boolean;
  readonly make: () => Promise<void>;
}

/**
 * A deterministic task scheduler with a virtual clock. It runs one call at a time, in an order that
 * only the seed determines. A task may await only calls of the scheduler and other tasks.
 */
export interface TaskScheduler {
  /** Returns the virtual time in milliseconds since 1970. */
  now(): number;
  /** Advances the clock to a time. A time in the past has no effect. */
  jumpTo(time: number): void;
  /**
   * Starts a task. The calls that `work` makes belong to the task. Calls `onEnd` once when the task
   * ends, even if it crashes.
   */
  begin(name: string, work: () => Promise<void>, onEnd?: (task: Task) => void): Task;
  /** Returns the tasks that have not ended. */
  working(): readonly Task[];
  /**
   * Returns the running task.
   * @throws Error if no task runs
   */
  current(): Task;
  /**
   * Runs a call at its place in the order, and returns its result. The promise of a dead task never
   * settles.
   */
  call<T>(call: Call<T>): Promise<T>;
  /**
   * Ends a task immediately. Its waiting calls are dropped, and the promises of its calls never
   * settle.
   */
  kill(task: Task): void;
  /** Returns true if a call can run now. */
  isReady(): boolean;
  /** Runs one call, and then all code that continues with the result, up to the next calls. */
  runNext(): Promise<void>;
  /** Returns the earliest time of the next call; undefined if no call waits. */
  nextReadyAt(): number | undefined;
  /** Adds a line to the trace. */
  note(line: string): void;
  /**
   * Adds content to the hash without adding it to the trace. Ignores the order of JSON members,
   * because the engine returns the members of a map in any order.
   */
  addToHash(content: string): void;
  readonly trace: readonly string[];
  /** Returns the hash of the trace and of all content that `addToHash` added. */
  hash(): string;
}

/** The longest duration of a usual call, in milliseconds. */
const usualCallMsMax = 40;

const taskContext = new AsyncLocalStorage<Task>();

/** Returns the task that runs the current code; undefined outside of tasks. */
export const currentTask = (): Task | undefined => taskContext.getStore();

/** Creates a task scheduler. The seed of `random` determines the order of calls. */
export function seededTaskScheduler(
  start: Date,
  random: Random,
  callMsMax: number = usualCallMsMax,
): TaskScheduler {
  let now = start.getTime();
  let parked: Parked[] = [];
  const working = new Map<Task, (task: Task) => void>();
  const trace: string[] = [];
  const contents = createHash("sha256");
  const note = (line: string): void => {
    trace.push(`${new Date(now).toISOString().slice(5, 23)} ${line}`);
  };
  const current = (): Task => {
    const task = currentTask();
    if (task === undefined)
      throw new Error("Every call must be made within a task (see `TaskScheduler`).");
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
  const runNext = async (): Promise<void> => {
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
      const task: Task = { name, startedAt: now, state: "working" };
      working.set(task, onEnd);
      note(`${name} begins`);
      taskContext.run(task, work).then(
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
    runNext,
    nextReadyAt() {
      const open = parked.filter(({ isOpen }) => isOpen());
      return open.length === 0 ? undefined : Math.min(...open.map(({ readyAt }) => readyAt));
    },
    note,
    trace,
    addToHash: (content) =>
      void contents.update(
        content
          .split(/[{},[\]]/)
          .toSorted()
          .join(),
      ),
    hash: () => contents.copy().update(trace.join("\n")).digest("hex"),
  };
}
