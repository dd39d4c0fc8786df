/**
 * The keys and metrics of the current work, which its log lines contain. A process may work on several
 * messages in parallel; each has separate keys and metrics, also in asynchronous code.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Metrics, inLines, merged, type MetricsSink } from "./figures.ts";

export type WorkKeys = Readonly<Record<string, string | number | boolean | undefined>>;

/** A call, a message or a sweep in progress. */
export interface Work {
  keys: WorkKeys;
  readonly metrics: Metrics[];
}

const current = new AsyncLocalStorage<Work>();

export const newWork = (keys: WorkKeys): Work => ({ keys, metrics: [] });

/** Runs `act` as part of a work. All log lines inside contain the work's keys. */
export const within = <Result>(work: Work, act: () => Result): Result => current.run(work, act);

/** The keys of the current work; empty outside of a work. */
export const workKeys = (): WorkKeys => current.getStore()?.keys ?? {};

/** Adds keys to the current work. */
export function addWorkKeys(keys: WorkKeys): void {
  const work = current.getStore();
  if (work !== undefined) work.keys = { ...work.keys, ...keys };
}

/** Collects metrics for the last log line of the current work. No effect outside of a work. */
export const recordMetrics: MetricsSink = (metrics) => {
  current.getStore()?.metrics.push(...metrics);
};

/** The metrics of the current work so far. */
export const metricsSoFar = (): readonly Metrics[] => merged(current.getStore()?.metrics ?? []);

/** Writes one log line. The logger converts its member `metrics` to metrics. */
export type WriteLine = (message: string, line: Readonly<Record<string, unknown>>) => void;

/** Writes the last log line of the current work with its metrics; further lines if one cannot hold them. */
export function endWork(
  write: WriteLine,
  message: string,
  line: Readonly<Record<string, unknown>>,
): void {
  const [own = [], ...others] = inLines(current.getStore()?.metrics ?? []);
  write(message, { ...line, metrics: own });
  for (const metrics of others) write(`${message}, further metrics`, { metrics });
}
