import { OutOfTimeError } from "../../../shared/base/retry-budget.ts";
import type { Profile } from "../faults.ts";
import { capturedLog } from "../captured-log.ts";
import { SourceBroken } from "../sources.ts";
import type { Task } from "../task-scheduler.ts";
import type { World } from "../world.ts";

/** The names of injected errors of a dependency that is down, slow or overloaded. */
const dependencyNames: ReadonlySet<string> = new Set([
  "TimeoutError",
  new OutOfTimeError().name,
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "SlowDown",
  "TransactionConflictException",
  "TransactionInProgressException",
]);

/** The names of the errors that faults cause, as the SDK or the service throws them. */
export const injectedNames: ReadonlySet<string> = new Set([
  ...dependencyNames,
  "AccessDeniedException",
  "TransactionCanceledException",
  new SourceBroken().name,
  // The service throws this error when it stops retrying after one of the errors above.
  "ServiceError",
]);

/**
 * The names of the errors of overlapping writes. Under the profile contention, a logged error with
 * such a name is a violation: a conflict ends within milliseconds, so a retry must succeed.
 */
const conflictNames: ReadonlySet<string> = new Set([
  "TransactionConflictException",
  "TransactionCanceledException",
]);

/** Returns true for the name of an error that a fault of the profile can cause. */
export const isInjected = (name: string, profile: Profile): boolean =>
  injectedNames.has(name) && !(profile === "contention" && conflictNames.has(name));

interface Line {
  readonly level?: string;
  readonly message?: string;
  readonly account_id?: string;
  readonly target_id?: string;
  /** The status of the response, if the line is about a call. */
  readonly status?: number;
  readonly error?: { readonly name?: string; readonly message?: string };
}

interface Failure {
  readonly line: Line;
  readonly task: Task | undefined;
  readonly text: string;
}

/**
 * Returns the ERROR lines of the log since the start of the seed, each with the task that wrote the
 * line.
 */
export function loggedFailures(): readonly Failure[] {
  return capturedLog()
    .flatMap(({ text, task }) => text.split("\n").map((line) => ({ line, task })))
    .filter(({ line }) => line.includes('"ERROR"'))
    .map(({ line, task }) => ({ line: JSON.parse(line) as Line, task, text: line }));
}

/**
 * Returns true for the message of the error that the queue adapters throw if SQS does not accept
 * all messages.
 */
export const isRejectedBySqs = (message: string): boolean => message.startsWith("SQS rejected ");

/** Returns true for a logged failure that a fault explains. */
const isForeseen = ({ line: { error } }: Failure, profile: Profile): boolean =>
  isInjected(error?.name ?? "", profile) || isRejectedBySqs(error?.message ?? "");

/**
 * Returns true for a response with status 500 after the failure of a dependency. The correct status
 * is 503.
 */
const isMistaken = ({ line: { status, error } }: Failure): boolean =>
  status === 500 && dependencyNames.has(error?.name ?? "");

/**
 * Starts to watch for failures. Call the returned function at the end of the scenario. It throws
 * Error in these cases:
 * - No fault explains a logged failure.
 * - A call returned 500 after the failure of a dependency.
 * - Work failed that started after the faults had stopped.
 * - A message reached its maximum number of receives, and no fault explains it.
 */
export function watchFailures({ faults, tasks, queues, profile }: World): () => void {
  let before: number | undefined;
  const lateTasks = new Set<Task>();
  faults.onStop(() => {
    before = loggedFailures().length;
    for (const task of tasks.working()) lateTasks.add(task);
  });
  const refuse = (what: string, failures: readonly Failure[]): void => {
    if (failures.length === 0) return;
    throw new Error(`${what}:\n${failures.map(({ text }) => text).join("\n")}`);
  };
  return () => {
    const failures = loggedFailures();
    const isLate = ({ task }: Failure): boolean => task !== undefined && lateTasks.has(task);
    refuse(
      "Failures that no fault explains",
      failures.filter((one) => !isForeseen(one, profile)),
    );
    refuse(
      "Calls that returned 500 after the failure of a dependency",
      failures.filter(isMistaken),
    );
    refuse(
      "Failures of work that started after the faults had stopped",
      failures.slice(before).filter((one) => !isLate(one)),
    );
    if (queues.blameless.length === 0) return;
    const bodies = queues.blameless.map(({ queue, body }) => `${queue} ${body}`);
    throw new Error(
      `Messages that reached their maximum number of receives without a fault:\n${bodies.join("\n")}`,
    );
  };
}
