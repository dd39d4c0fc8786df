import assert from "node:assert/strict";
import type { Attempt } from "../attempt.ts";
import type { Task } from "../task-scheduler.ts";
import type { World } from "../world.ts";

/** The part of a batch's message that identifies the plan of its step. */
interface PlanOfBatch {
  readonly run_id: string;
  readonly step: string;
  readonly plan: string;
}

/**
 * Starts to check that a repeated message of a complete step does not send the next step again
 * (invariant R18). Otherwise, each repeated message would cause even more repeated messages: one
 * for each batch of the next step. A worker that received its message before the next step was sent
 * may still send the step. Reports violations immediately.
 */
export function watchSends(world: World): void {
  /** The plans whose batches were all sent. */
  const sent = new Set<string>();
  /** For each task, the plans whose batches the task sent. */
  const sentBy = new Map<Task, Set<string>>();
  /** For each task, the plans whose batches had all been sent before the task's first request. */
  const sentBefore = new Map<Task, ReadonlySet<string>>();
  world.beforeEffect.push(({ task }) => {
    if (!sentBefore.has(task)) sentBefore.set(task, new Set(sent));
  });
  world.afterEffect.push((attempt) => {
    const { task } = attempt;
    // A task stores progress only after it has sent all batches of its plans.
    if (isProgress(attempt)) for (const plan of sentBy.get(task) ?? []) sent.add(plan);
    if (!task.name.includes(" run-step ")) return;
    for (const plan of plansSent(attempt)) {
      const known = sentBy.get(task) ?? new Set();
      sentBy.set(task, known.add(plan));
      if (sentBefore.get(task)?.has(plan) !== true) continue;
      world.reportViolation(
        new assert.AssertionError({ message: `${task.name} sends step ${plan} again` }),
      );
    }
  });
}

/** Returns true for a request that stores the progress of a run. */
const isProgress = ({ service, operation, input }: Attempt): boolean =>
  service === "dynamo" &&
  operation === "UpdateItem" &&
  String(input["UpdateExpression"]).startsWith("SET #progress_at");

/**
 * Returns the plans of the batches that a request sends to the steps queue; empty for any other
 * request.
 */
function plansSent({ service, operation, input }: Attempt): readonly string[] {
  if (service !== "sqs" || !String(input["QueueUrl"]).endsWith("/steps")) return [];
  const entries = operation === "SendMessageBatch" ? input["Entries"] : [input];
  return (entries as readonly { readonly MessageBody: string }[]).map(({ MessageBody }) => {
    const { run_id, step, plan } = JSON.parse(MessageBody) as PlanOfBatch;
    return `${step} of ${run_id} in plan ${plan}`;
  });
}
