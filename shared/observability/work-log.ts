/**
 * What a log line says beyond its message: whose call or message it belongs to, and what that came
 * to. Several messages are worked on in one process at a time: each has keys and figures of its own,
 * which follow its work wherever it goes.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Figures, inLines, merged, type Report } from "./figures.ts";

export type WorkKeys = Readonly<Record<string, string | number | boolean | undefined>>;

/** A call, a message or a sweep under way. */
export interface Work {
  keys: WorkKeys;
  readonly told: Figures[];
}

const current = new AsyncLocalStorage<Work>();

export const newWork = (keys: WorkKeys): Work => ({ keys, told: [] });

/** Does something as part of a work: every line written meanwhile carries the work's keys. */
export const within = <Result>(work: Work, act: () => Result): Result => current.run(work, act);

/** The keys of the work under way; none outside of one. */
export const workKeys = (): WorkKeys => current.getStore()?.keys ?? {};

/** Adds what has been learned of the work under way. */
export function addWorkKeys(keys: WorkKeys): void {
  const work = current.getStore();
  if (work !== undefined) work.keys = { ...work.keys, ...keys };
}

/** Keeps figures for the line that ends the work under way; outside of one they are lost. */
export const tell: Report = (told) => {
  current.getStore()?.told.push(...told);
};

/** What has been told of the work under way so far. */
export const toldSoFar = (): readonly Figures[] => merged(current.getStore()?.told ?? []);

/** Writes one line; its `figures` are `Figures`, which the logger turns into metrics. */
export type WriteLine = (message: string, line: Readonly<Record<string, unknown>>) => void;

/** The line that ends the work under way, with its figures; seldom more, for what no line can hold. */
export function endWork(
  write: WriteLine,
  message: string,
  line: Readonly<Record<string, unknown>>,
): void {
  const [own = [], ...others] = inLines(current.getStore()?.told ?? []);
  write(message, { ...line, figures: own });
  for (const figures of others) write(`${message}, further figures`, { figures });
}
