import { said } from "../said.ts";
import type { DeliveryScene } from "../scenarios/deliveries-scene.ts";

/** Names of the errors that faults make, as the SDK and the service pass them on. */
export const injectedNames: ReadonlySet<string> = new Set([
  "TimeoutError",
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "SlowDown",
  "AccessDeniedException",
  "TransactionCanceledException",
  "TransactionConflictException",
  "TransactionInProgressException",
  // The service's own, where it gives up on one of those.
  "ServiceError",
]);

interface Line {
  readonly level?: string;
  readonly message?: string;
  readonly account_id?: string;
  readonly target_id?: string;
  readonly error?: { readonly name?: string; readonly message?: string };
}

interface Failure {
  readonly said: Line;
  readonly task: string;
  readonly text: string;
}

/** Lines of the log that tell of a failure, with the task that wrote them. */
export function failuresSaid(): readonly Failure[] {
  return said()
    .flatMap(({ text, task }) =>
      text.split("\n").map((line) => ({ line, task: task?.name ?? "nobody" })),
    )
    .filter(({ line }) => line.includes('"ERROR"'))
    .map(({ line, task }) => ({ said: JSON.parse(line) as Line, task, text: line }));
}

/** Every failure that the service logged is one that a fault explains, and none comes after them. */
export function checkFailures({ failuresBefore, lateTasks }: DeliveryScene): void {
  const failures = failuresSaid();
  const unexplained = failures.filter(
    ({ said: { error } }) =>
      !injectedNames.has(error?.name ?? "") && !/not sent/.test(error?.message ?? ""),
  );
  if (unexplained.length > 0) {
    throw new Error(
      `Failures that no fault explains:\n${unexplained.map(({ text }) => text).join("\n")}`,
    );
  }
  const late = failures.slice(failuresBefore).filter(({ task }) => !lateTasks.has(task));
  if (late.length > 0) {
    throw new Error(`Failures without faults:\n${late.map(({ text }) => text).join("\n")}`);
  }
}
