import type { Clock } from "../../../shared/base/clock.ts";
import { quantity } from "../../../shared/base/quantity.ts";
import { failureMessage } from "../../../tools/command-line/failure.ts";
import type { StackNames } from "../target.ts";
import type { Progress, RestoreCloud, StepName } from "./restore-cloud.ts";

/** A restore of the tables of a stage. */
export interface Restore {
  readonly stage: string;
  /** The second to which the tables are restored, as `2026-11-21T10:15:00Z`. */
  readonly at: string;
  /** The names of the tables. */
  readonly tables: readonly string[];
  readonly stacks: StackNames;
}

/** The access to AWS and to the operator that the steps of a restore need. */
export interface RestoreTools {
  readonly cloud: RestoreCloud;
  /** Compares all data and returns the number of differences. */
  readonly reconcile: () => Promise<number>;
  /** Asks the operator before a step that cannot be undone. Throws if the answer is no. */
  readonly confirm: (change: string) => Promise<void>;
  /** Prints a line about the progress. */
  readonly note: (line: string) => void;
  readonly clock: Clock;
  /** Milliseconds between two polls of a state in AWS. */
  readonly pollMs: number;
}

/** What the operator must do before the command continues. */
interface Stop {
  /** True if a repeated command continues after this step. False if it runs this step again. */
  readonly isDone: boolean;
  readonly operatorMust: string;
}

/** A step of a restore. */
export interface Step {
  /** Describes the step to the operator. */
  readonly about: string;
  /** True if the step cannot be undone. The operator must then confirm the step. */
  readonly isIrreversible: boolean;
  /**
   * Runs the step; a repeated run continues it. Returns what the operator must do before the next
   * step; undefined if the next step can follow immediately.
   */
  readonly run: (progress: Progress) => Promise<Stop | void>;
}

const minuteMs = 60_000;
const noteEveryMs = 5 * minuteMs;
/**
 * The longest wait in milliseconds until a table or a backup reaches a state. DynamoDB needs hours
 * to restore a large table.
 */
const waitMaxMs = 24 * 60 * minuteMs;
/**
 * The maximum number of polls in a row that do not find the table or backup. A table or backup is
 * sometimes invisible just after its creation.
 */
const absentPollsMax = 6;

/** Returns the name of the temporary table into which `table` is first restored. */
export const copyOf = (table: string): string => `${table}-restored`;
/** Returns the command line that deploys all stacks of a stage, including a deleted one. */
export const deployCommand = (stage: string): string => `npx cdk deploy --all -c stage=${stage}`;
/**
 * Returns the name of the backups of a restore. The name contains the time of the restore without
 * colons, because DynamoDB accepts no colon in a name.
 */
const backupNameOf = ({ at }: Progress): string => `restored-${at.replaceAll(":", ".")}`;

/**
 * Returns the steps of a restore, by the name of the step.
 * @param restore The stage, the tables and the second to restore.
 * @param tools The access to AWS and to the operator.
 */
export function stepsOf(restore: Restore, tools: RestoreTools): Readonly<Record<StepName, Step>> {
  const { stage, at, stacks } = restore;
  const { cloud } = tools;
  const tables = quantity(restore.tables.length, "table");
  return {
    copy: {
      about: `Restores ${tables}, as they were at ${at}, to new tables with the suffix -restored. The service continues.`,
      isIrreversible: false,
      run: async (progress) => copyTables(progress, tools),
    },
    "back-up": {
      about: "Backs up the new tables. The service continues.",
      isIrreversible: false,
      run: async (progress) => backUpCopies(progress, tools),
    },
    stop: {
      about:
        `Deletes the stack ${stacks.service}: the API stops, and queued messages and dead letters are lost. ` +
        `What was written after ${at} will be lost too. Check the -restored tables first.`,
      isIrreversible: true,
      run: async () => stopService(restore, tools),
    },
    replace: {
      about:
        `Deletes ${tables} of ${stage} and restores the backups under their names. ` +
        "DynamoDB keeps a backup of each deleted table for 35 days.",
      isIrreversible: true,
      run: async (progress) => replaceTables(progress, restore, tools),
    },
    settings: {
      about:
        "Sets the time to live, point-in-time recovery, deletion protection and tags, as the deleted tables had them.",
      isIrreversible: false,
      run: async ({ tables: all }) => {
        for (const { name, settings } of all) await cloud.applySettings(name, settings);
      },
    },
    drift: {
      about: `Compares the stack ${stacks.data} with its resources.`,
      isIrreversible: false,
      run: async () => reportDrift(restore, tools),
    },
    deploy: {
      about: `Waits until you have deployed the stack ${stacks.service} again.`,
      isIrreversible: false,
      run: async () => {
        const status = await cloud.serviceStatus();
        if (status !== undefined && /^(?:CREATE|UPDATE)_COMPLETE/.test(status)) return undefined;
        const operatorMust = `Run: ${deployCommand(stage)}. Then repeat this command.`;
        return { isDone: false, operatorMust };
      },
    },
    reconcile: {
      about: "Compares all data that is stored twice.",
      isIrreversible: false,
      run: async () => compare(tools),
    },
    "clean-up": {
      about: "Deletes the -restored tables and their backups.",
      isIrreversible: true,
      run: async (progress) => deleteCopies(progress, tools),
    },
  };
}

async function copyTables({ tables, at }: Progress, tools: RestoreTools): Promise<void> {
  const { cloud, note } = tools;
  for (const { name } of tables) {
    if ((await cloud.table(copyOf(name))) === undefined) {
      await cloud.restoreToTime(name, copyOf(name), at);
    }
  }
  for (const { name } of tables) {
    await untilActive(copyOf(name), tools);
    note(`  ${copyOf(name)} is ready`);
  }
}

async function backUpCopies(progress: Progress, tools: RestoreTools): Promise<void> {
  const { cloud } = tools;
  const backupName = backupNameOf(progress);
  for (const { name } of progress.tables) {
    if ((await cloud.backup(copyOf(name), backupName)) === undefined) {
      await cloud.createBackup(copyOf(name), backupName);
    }
  }
  for (const { name } of progress.tables) {
    await until(
      `the backup ${backupName} of ${copyOf(name)} is available`,
      async () => {
        const backup = await cloud.backup(copyOf(name), backupName);
        if (backup === undefined) return "absent";
        return backup.isAvailable ? "reached" : "pending";
      },
      tools,
    );
  }
}

async function stopService({ stacks }: Restore, tools: RestoreTools): Promise<void> {
  const { cloud } = tools;
  if ((await cloud.serviceStatus()) === undefined) return;
  await cloud.deleteService();
  await until(
    `${stacks.service} is deleted`,
    async () => {
      const status = await cloud.serviceStatus();
      if (status !== "DELETE_FAILED") return status === undefined ? "reached" : "pending";
      throw new Error(
        `The stack ${stacks.service} could not be deleted (DELETE_FAILED). Correct the cause that the events of the stack show, then repeat this command.`,
      );
    },
    tools,
  );
}

async function replaceTables(
  progress: Progress,
  { stacks }: Restore,
  tools: RestoreTools,
): Promise<void> {
  const { cloud, note } = tools;
  if ((await cloud.serviceStatus()) !== undefined) {
    throw new Error(
      `The stack ${stacks.service} exists again, and would write to the tables. Delete the stack, then repeat this command.`,
    );
  }
  const backups = new Map<string, string>();
  for (const { name } of progress.tables) {
    const backup = await cloud.backup(copyOf(name), backupNameOf(progress));
    if (backup?.isAvailable !== true) {
      throw new Error(
        `The backup of ${copyOf(name)} is not available, so no table was deleted. Check the backup in the AWS console, then repeat this command.`,
      );
    }
    backups.set(name, backup.id);
  }
  for (const { name, id } of progress.tables) {
    // Deletes only the table that existed at the start, and not the table that replaces it.
    await untilDeleted(name, id, tools);
    if ((await cloud.table(name)) === undefined) {
      await cloud.restoreFromBackup(backups.get(name) ?? "", name);
    }
  }
  for (const { name } of progress.tables) {
    await untilActive(name, tools);
    note(`  ${name} is restored`);
  }
}

async function reportDrift(
  { stacks: { data } }: Restore,
  { cloud, note }: RestoreTools,
): Promise<void> {
  let lines: readonly string[];
  try {
    lines = await cloud.drift();
  } catch (error) {
    // The comparison only informs the operator. An error in the comparison must not keep the
    // service stopped.
    note(`  ${data} was not compared: ${failureMessage(error)}`);
    note(`  Later, run: aws cloudformation detect-stack-drift --stack-name ${data}`);
    return;
  }
  for (const line of lines) note(`  ${line}`);
  note(lines.length === 0 ? "  no difference" : "  Correct these differences by hand.");
}

async function compare({ reconcile }: RestoreTools): Promise<Stop | undefined> {
  const differences = await reconcile();
  if (differences === 0) return undefined;
  const operatorMust =
    `reconcile found ${quantity(differences, "difference")}. Inspect them. ` +
    "Then repeat this command, which deletes the -restored tables.";
  return { isDone: true, operatorMust };
}

/**
 * Deletes the temporary copies of the tables, and the backups of these copies. Skips tables and
 * backups that do not exist, so the call can be repeated. Returns after the copies are deleted.
 */
export async function deleteCopies(progress: Progress, tools: RestoreTools): Promise<void> {
  const { cloud } = tools;
  for (const { name } of progress.tables) {
    const backup = await cloud.backup(copyOf(name), backupNameOf(progress));
    if (backup !== undefined) await cloud.deleteBackup(backup.id);
    const copy = await cloud.table(copyOf(name));
    if (copy !== undefined) await untilDeleted(copyOf(name), copy.id, tools);
  }
}

const untilActive = (table: string, tools: RestoreTools): Promise<void> =>
  until(
    `${table} is active`,
    async () => {
      const state = await tools.cloud.table(table);
      if (state === undefined) return "absent";
      return state.isActive ? "reached" : "pending";
    },
    tools,
  );

/** Deletes the table with this ID, and waits until it does not exist. */
const untilDeleted = (table: string, id: string, tools: RestoreTools): Promise<void> =>
  until(
    `${table} is deleted`,
    async () => {
      const state = await tools.cloud.table(table);
      if (state?.id !== id) return "reached";
      if (state.isActive) await tools.cloud.deleteTable(table);
      return "pending";
    },
    tools,
  );

/**
 * Polls until a state is reached. Prints a line every 5 minutes.
 * @param state the state, such as `accounts is active`
 * @param check returns `absent` if the awaited table or backup does not exist
 * @throws Error after 24 hours, or if several polls in a row return `absent`
 */
async function until(
  state: string,
  check: () => Promise<"reached" | "pending" | "absent">,
  { clock, pollMs, note }: RestoreTools,
): Promise<void> {
  const startMs = clock.now().getTime();
  let notedMs = startMs;
  let absent = 0;
  for (;;) {
    const result = await check();
    if (result === "reached") return;
    absent = result === "absent" ? absent + 1 : 0;
    if (absent === absentPollsMax) {
      throw new Error(
        `The restore waits until ${state}, but the table or backup does not exist. Find out what deleted the table or backup, then repeat this command.`,
      );
    }
    const nowMs = clock.now().getTime();
    if (nowMs - startMs >= waitMaxMs) {
      throw new Error(
        `The restore has waited 24 hours until ${state}. Check the resource in the AWS console, then repeat this command to continue the restore.`,
      );
    }
    if (nowMs - notedMs >= noteEveryMs) {
      notedMs = nowMs;
      note(`  waiting until ${state}, for ${Math.floor((nowMs - startMs) / minuteMs)} minutes`);
    }
    await clock.sleep(pollMs);
  }
}
