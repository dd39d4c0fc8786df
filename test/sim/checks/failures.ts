import { OutOfTimeError } from "../../../shared/base/retry-budget.ts";
import type { Profile } from "../faults.ts";
import { capturedLog } from "../captured-log.ts";
import { SourceBroken } from "../sources.ts";
import type { Task } from "../task-scheduler.ts";
import type { World } from "../world.ts";

/** Injected errors of a dependency that is down, slow or overloaded. */
const dependencyNames: ReadonlySet<string> = new Set([
  "TimeoutError",
  new OutOfTimeError().name,
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "SlowDown",
  "TransactionConflictException",
  "TransactionInProgressException",
]);

/** Names of the errors that faults cause, as the SDK and the service raise them. */
export const injectedNames: ReadonlySet<string> = new Set([
  ...dependencyNames,
  "AccessDeniedException",
  "TransactionCanceledException",
  new SourceBroken().name,
  // The service's own error after it stops retrying one of those.
  "ServiceError",
]);

/**
 * Errors of overlapping writes. No fault causes them in the profile contention: a conflict there ends
 * within milliseconds, and the service must retry the write.
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
  /** Status of the response, in the line of a call. */
  readonly status?: number;
  readonly error?: { readonly name?: string; readonly message?: string };
}

interface Failure {
  readonly line: Line;
  readonly task: Task | undefined;
  readonly text: string;
}

/** Returns the ERROR lines of the log, with the task that wrote each. */
export function loggedFailures(): readonly Failure[] {
  return capturedLog()
    .flatMap(({ text, task }) => text.split("\n").map((line) => ({ line, task })))
    .filter(({ line }) => line.includes('"ERROR"'))
    .map(({ line, task }) => ({ line: JSON.parse(line) as Line, task, text: line }));
}

/** True for the queue adapters' error for messages that SQS did not accept. */
export const isRejectedBySqs = (message: string): boolean => message.startsWith("SQS rejected ");

/** True for an error that a fault explains. */
const isForeseen = ({ line: { error } }: Failure, profile: Profile): boolean =>
  isInjected(error?.name ?? "", profile) || isRejectedBySqs(error?.message ?? "");

/** True for a 500 after the failure of a dependency, for which the service must return 503. */
const isMistaken = ({ line: { status, error } }: Failure): boolean =>
  status === 500 && dependencyNames.has(error?.name ?? "");

/**
 * Starts to watch for failures before a scenario. The returned function checks at its end that a fault
 * explains every logged failure, that only work from before the end of the faults failed after it, and
 * that a fault explains every message that exhausted its receives.
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
      "Failures without faults",
      failures.slice(before).filter((one) => !isLate(one)),
    );
    if (queues.blameless.length === 0) return;
    const bodies = queues.blameless.map(({ queue, body }) => `${queue} ${body}`);
    throw new Error(
      `Messages that exhausted their receives without a fault:\n${bodies.join("\n")}`,
    );
  };
}
