/**
 * Keys and metrics of the current work. Its log lines contain the keys. A process may handle
 * several messages in parallel; each message has separate keys and metrics, including in
 * asynchronous code.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Metrics, inLines, merged, type MetricsSink } from "./figures.ts";

export type WorkKeys = Readonly<Record<string, string | number | boolean | undefined>>;

/** The log keys and metrics of a call, a message or a sweeper pass in progress. */
export interface Work {
  keys: WorkKeys;
  readonly metrics: Metrics[];
}

const current = new AsyncLocalStorage<Work>();

/** Creates a unit of work with keys for its log lines. */
export const newWork = (keys: WorkKeys): Work => ({ keys, metrics: [] });

/**
 * Runs `act` as part of a unit of work and returns its result. All log lines of `act` contain its
 * keys.
 */
export const within = <Result>(work: Work, act: () => Result): Result => current.run(work, act);

/** The keys of the current work; empty outside a unit of work. */
export const workKeys = (): WorkKeys => current.getStore()?.keys ?? {};

/** Adds keys to the log lines of the current unit of work. No effect outside a unit of work. */
export function addWorkKeys(keys: WorkKeys): void {
  const work = current.getStore();
  if (work !== undefined) work.keys = { ...work.keys, ...keys };
}

/** Collects metrics for the last log line of the current work. No effect outside a unit of work. */
export const recordMetrics: MetricsSink = (metrics) => {
  current.getStore()?.metrics.push(...metrics);
};

/** The merged metrics of the current work so far; empty outside a unit of work. */
export const metricsSoFar = (): readonly Metrics[] => merged(current.getStore()?.metrics ?? []);

/** Writes one log line. The logger converts the member `metrics` to CloudWatch metrics. */
export type WriteLine = (message: string, line: Readonly<Record<string, unknown>>) => void;

/**
 * Writes the last log line of the current work with its metrics. Writes further lines if one line
 * cannot contain them.
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
