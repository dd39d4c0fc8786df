import { OutOfTimeError } from "../../../shared/base/retry-budget.ts";
import type { Profile } from "../faults.ts";
import { said } from "../said.ts";
import { SourceBroken } from "../sources.ts";
import type { Task } from "../turns.ts";
import type { World } from "../world.ts";

/** Of these, the ones that say that a dependency is down, slow or overloaded. */
const dependencyNames: ReadonlySet<string> = new Set([
  "TimeoutError",
  new OutOfTimeError().name,
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "SlowDown",
  "TransactionConflictException",
  "TransactionInProgressException",
]);

/** Names of the errors that faults make, as the SDK and the service pass them on. */
export const injectedNames: ReadonlySet<string> = new Set([
  ...dependencyNames,
  "AccessDeniedException",
  "TransactionCanceledException",
  new SourceBroken().name,
  // The service's own, where it gives up on one of those.
  "ServiceError",
]);

/**
 * Errors of writes that met. In the profile contention no fault makes them: a conflict there is over
 * within milliseconds, and the service has to repeat the write.
 */
const conflictNames: ReadonlySet<string> = new Set([
  "TransactionConflictException",
  "TransactionCanceledException",
]);

/** True for an error that a fault of the profile explains. */
export const isInjected = (name: string, profile: Profile): boolean =>
  injectedNames.has(name) && !(profile === "contention" && conflictNames.has(name));

interface Line {
  readonly level?: string;
  readonly message?: string;
  readonly account_id?: string;
  readonly target_id?: string;
  /** Of a call: what it was answered. */
  readonly status?: number;
  readonly error?: { readonly name?: string; readonly message?: string };
}

interface Failure {
  readonly said: Line;
  readonly task: Task | undefined;
  readonly text: string;
}

/** Lines of the log that tell of a failure, with the task that wrote them. */
export function failuresSaid(): readonly Failure[] {
  return said()
    .flatMap(({ text, task }) => text.split("\n").map((line) => ({ line, task })))
    .filter(({ line }) => line.includes('"ERROR"'))
    .map(({ line, task }) => ({ said: JSON.parse(line) as Line, task, text: line }));
}

/** An error that a fault explains. */
const isForeseen = ({ said: { error } }: Failure, profile: Profile): boolean =>
  isInjected(error?.name ?? "", profile) || /not (sent|accepted)/.test(error?.message ?? "");

/** A call that a dependency failed is answered 503; only what is wrong with the service is a 500. */
const isMistaken = ({ said: { status, error } }: Failure): boolean =>
  status === 500 && dependencyNames.has(error?.name ?? "");

/**
 * To be called before a scenario begins; what it gives is called at its end: every failure that the
 * service logged is one that a fault explains, none comes after the faults but of what had begun
 * under them, and no message was given up for which no fault can be blamed.
 */
export function watchFailures({ faults, turns, queues, profile }: World): () => void {
  let before: number | undefined;
  const lateTasks = new Set<Task>();
  faults.onStop(() => {
    before = failuresSaid().length;
    for (const task of turns.working()) lateTasks.add(task);
  });
  const refuse = (what: string, failures: readonly Failure[]): void => {
    if (failures.length === 0) return;
    throw new Error(`${what}:\n${failures.map(({ text }) => text).join("\n")}`);
  };
  return () => {
    const failures = failuresSaid();
    const isLate = ({ task }: Failure): boolean => task !== undefined && lateTasks.has(task);
    refuse(
      "Failures that no fault explains",
      failures.filter((one) => !isForeseen(one, profile)),
    );
    refuse("Calls answered 500 for the failure of a dependency", failures.filter(isMistaken));
    refuse(
      "Failures without faults",
      failures.slice(before).filter((one) => !isLate(one)),
    );
    if (queues.blameless.length === 0) return;
    const bodies = queues.blameless.map(({ queue, body }) => `${queue} ${body}`);
    throw new Error(`Messages given up without a fault:\n${bodies.join("\n")}`);
  };
}
