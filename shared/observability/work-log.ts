/**
 * Log keys and metrics of the current unit of work: a call, a message or a sweeper pass. A process
 * may handle several messages in parallel. Each message has separate keys and metrics, which its
 * asynchronous code uses too.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Metrics, inLines, type MetricsSink } from "./metrics.ts";

export type WorkKeys = Readonly<Record<string, string | number | boolean | undefined>>;

/** A unit of work: the log keys and metrics of a call, a message or a sweeper pass in progress. */
export interface Work {
  keys: WorkKeys;
  readonly metrics: Metrics[];
}

const current = new AsyncLocalStorage<Work>();

/** Creates a unit of work whose log lines contain `keys`. */
export const newWork = (keys: WorkKeys): Work => ({ keys, metrics: [] });

/**
 * Calls `act` and returns its result. The log lines of `act`, including its asynchronous code,
 * contain the keys of `work`, and `work` collects their metrics.
 */
export const within = <Result>(work: Work, act: () => Result): Result => current.run(work, act);

/** Returns the keys (such as `run_id`) of the current unit of work; empty outside such a unit. */
export const workKeys = (): WorkKeys => current.getStore()?.keys ?? {};

/**
 * Adds keys to the log lines of the current unit of work. Replaces the value of a key that already
 * exists. Does nothing outside a unit of work.
 */
export function addWorkKeys(keys: WorkKeys): void {
  const work = current.getStore();
  if (work !== undefined) work.keys = { ...work.keys, ...keys };
}

/** Collects metrics for the last log line of the current work. No effect outside a unit of work. */
export const recordMetrics: MetricsSink = (metrics) => {
  current.getStore()?.metrics.push(...metrics);
};

/** Writes one log line. The logger converts the member `metrics` to CloudWatch metrics. */
export type WriteLine = (message: string, line: Readonly<Record<string, unknown>>) => void;

/**
 * Writes the last log line of the current unit of work: `message`, the values of `line`, and the
 * metrics of the unit of work. If the metrics do not fit into one line, writes further lines.
 * Outside a unit of work, the line has no metrics.
 */
export function endWork(
  write: WriteLine,
  message: string,
  line: Readonly<Record<string, unknown>>,
): void {
  const [own = [], ...others] = inLines(current.getStore()?.metrics ?? []);
  write(message, { ...line, metrics: own });
  for (const metrics of others) write(`${message}, further metrics`, { metrics });
}
