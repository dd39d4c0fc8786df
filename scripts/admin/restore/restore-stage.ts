import { type Progress, type StepName, stepNames } from "./restore-cloud.ts";
import {
  copyOf,
  deleteCopies,
  deployCommand,
  type Restore,
  type RestoreTools,
  stepsOf,
} from "./restore-steps.ts";

const minuteMs = 60_000;
/**
 * The minimum age in milliseconds of the time to restore, because point-in-time recovery does not
 * include the last five minutes.
 */
const restorableFromAgeMs = 5 * minuteMs;
/**
 * The maximum age in milliseconds of the time to restore: the period that point-in-time recovery
 * covers.
 */
const restorableToAgeMs = 35 * 24 * 60 * minuteMs;

/** The result of a restore command: the restore is complete, or it waits for the operator. */
export type RestoreOutcome =
  | { readonly state: "completed"; readonly at: string }
  /** The operator must follow `operatorMust`, and then repeat the command. */
  | { readonly state: "waiting"; readonly step: StepName; readonly operatorMust: string };

/**
 * Restores the tables of a stage to the state of one second in the past. Continues from the stored
 * progress. Each step can be repeated, because it finds out from AWS which work remains.
 * @returns `completed`, or `waiting` with instructions if the operator must act before the next
 * step.
 * @throws Error if the restore cannot begin, if another restore is in progress, if the operator
 * does not confirm a step, or if AWS refuses a request. After an error, repeat the call to
 * continue.
 */
export async function restoreStage(restore: Restore, tools: RestoreTools): Promise<RestoreOutcome> {
  const { cloud, confirm, note } = tools;
  const steps = stepsOf(restore, tools);
  const progress = sameRestore(restore, await cloud.progress()) ?? (await begin(restore, tools));
  const done = new Set(progress.done);
  for (const [index, name] of stepNames.entries()) {
    if (done.has(name)) continue;
    const { about, isIrreversible, run } = steps[name];
    note(`[${index + 1}/${stepNames.length}] ${name}: ${about}`);
    if (isIrreversible) await confirm(`Step ${name} cannot be undone. ${about}`);
    const stop = await run(progress);
    if (stop?.isDone !== false) {
      await cloud.saveProgress({ ...progress, done: [...done.add(name)] });
    }
    if (stop) return { state: "waiting", step: name, operatorMust: stop.operatorMust };
  }
  await cloud.deleteProgress();
  return { state: "completed", at: restore.at };
}

/** A step of a restore, with its state. `does` describes the step to the operator. */
export interface PlannedStep {
  readonly step: StepName;
  readonly state: "done" | "next" | "pending";
  readonly irreversible: boolean;
  readonly does: string;
}

/**
 * Returns the steps of a restore, each with its state. Changes nothing.
 * @throws Error if the restore cannot begin, or if another restore is in progress
 */
export async function planSteps(restore: Restore, tools: RestoreTools): Promise<PlannedStep[]> {
  const progress = sameRestore(restore, await tools.cloud.progress());
  if (progress === undefined) await assertCanBegin(restore, tools);
  const steps = stepsOf(restore, tools);
  const done = new Set(progress?.done);
  const next = stepNames.find((name) => !done.has(name));
  return stepNames.map((step) => ({
    step,
    state: done.has(step) ? "done" : step === next ? "next" : "pending",
    irreversible: steps[step].isIrreversible,
    does: steps[step].about,
  }));
}

/** The result of discarding a restore. `at` is the second to which it would have set the tables. */
export interface Discarded {
  readonly at: string;
  readonly state: "discarded";
  /** How the operator deploys the service stack again; absent if the stack exists. */
  readonly operatorMust?: string;
}

/**
 * Removes the copies, the backups and the progress of a restore that has not replaced a table. If
 * the restore has deleted the service stack, the result has instructions to deploy it again.
 * @throws Error if this restore has not begun, if another restore is in progress, or if this
 * restore has deleted or replaced a table
 */
export async function discardRestore(restore: Restore, tools: RestoreTools): Promise<Discarded> {
  const progress = sameRestore(restore, await tools.cloud.progress());
  if (progress === undefined)
    throw new Error(
      `No restore of ${restore.stage} is in progress, so there is nothing to discard. Check --stage.`,
    );
  for (const { name, id } of progress.tables) {
    if ((await tools.cloud.table(name))?.id === id) continue;
    throw new Error(
      `The restore has already deleted or replaced the table ${name}, so the restore cannot be discarded. Repeat the restore without --discard.`,
    );
  }
  await deleteCopies(progress, tools);
  const status = await tools.cloud.serviceStatus();
  await tools.cloud.deleteProgress();
  const { at, stacks, stage } = restore;
  const isDeleted = status === undefined || status.startsWith("DELETE_");
  if (!isDeleted) return { at, state: "discarded" };
  const operatorMust = `The stack ${stacks.service} is ${status ?? "deleted"}. Run: ${deployCommand(stage)}`;
  return { at, state: "discarded", operatorMust };
}

/**
 * Returns the stored progress of this restore, or undefined if no restore has begun.
 * @throws Error if the stored progress belongs to another restore: its time differs.
 */
function sameRestore({ at, stage }: Restore, progress?: Progress): Progress | undefined {
  if (progress === undefined || progress.at === at) return progress;
  throw new Error(
    `A restore of ${stage} to ${progress.at} began at ${progress.startedAt}. Continue it with --at ${progress.at}, ` +
      `or delete its copies of the tables with --at ${progress.at} --discard.`,
  );
}

async function assertCanBegin(
  { tables, at }: Restore,
  { cloud, clock }: RestoreTools,
): Promise<void> {
  assertRestorable(at, clock.now().getTime());
  for (const table of tables) {
    if ((await cloud.table(table)) === undefined) {
      throw new Error(
        `There is no table ${table}. Restore it from its system backup first (docs/operate.md, Disasters).`,
      );
    }
    if ((await cloud.table(copyOf(table))) !== undefined) {
      throw new Error(
        `The table ${copyOf(table)} already exists, but no restore in progress created it. Delete this table, then repeat the command.`,
      );
    }
  }
}

function assertRestorable(at: string, now: number): void {
  const [from, to] = [new Date(now - restorableToAgeMs), new Date(now - restorableFromAgeMs)];
  const time = Date.parse(at);
  if (time >= from.getTime() && time <= to.getTime()) return;
  throw new Error(
    `--at must be from ${from.toISOString()} (35 days ago) to ${to.toISOString()} (5 minutes ago) (got "${at}").`,
  );
}

async function begin(restore: Restore, tools: RestoreTools): Promise<Progress> {
  const { cloud, clock } = tools;
  await assertCanBegin(restore, tools);
  const tables = await Promise.all(
    restore.tables.map(async (name) => {
      const [state, settings] = [await cloud.table(name), await cloud.settingsOf(name)];
      return { name, id: state?.id ?? "", settings };
    }),
  );
  const startedAt = clock.now().toISOString();
  const progress: Progress = { version: 1, at: restore.at, startedAt, tables, done: [] };
  await cloud.saveProgress(progress);
  return progress;
}
