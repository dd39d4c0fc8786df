import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SSMClient } from "@aws-sdk/client-ssm";
import { systemClock } from "../../../shared/base/system.ts";
import { differenceLine } from "../../../tools/reconcile/rules/difference.ts";
import { tallyLine } from "../../../tools/reconcile/reconcile.ts";
import { type Admin, type Commands, listOf, requiredOption, type Values } from "../command.ts";
import { escapeControls } from "../print.ts";
import { compareData } from "../reconcile-command.ts";
import { awsRestoreCloud } from "./aws-restore-cloud.ts";
import { discardRestore, planSteps, restoreStage } from "./restore-stage.ts";
import type { Restore, RestoreTools } from "./restore-steps.ts";

const pollMs = 10_000;
/** The exit code while the operator must act before the restore continues. */
const waitingExit = 1;

export const restoreCommands: Commands = {
  restore: {
    example: "--stage prod --at 2026-11-21T10:15:00Z --dry-run",
    needs: ["at"],
    role: "break-glass",
    takes: ["dry-run", "discard"],
    about:
      "Restores all tables of a stage to one second of the last 35 days. Prints each step before it begins, " +
      "and asks before each step that cannot be undone. A repeated call continues. " +
      "--dry-run shows the steps and changes nothing.",
    changes: (values) => {
      const at = secondOf(values);
      if (values["dry-run"] === true) return undefined;
      return values.discard === true
        ? `Remove the copies of the restore to ${at}`
        : `Restore all tables to ${at}`;
    },
    run: runRestore,
  },
};

async function runRestore(values: Values, admin: Admin): Promise<unknown> {
  const at = secondOf(values);
  const { stage, stacks, tables } = admin.target;
  if (stage === null || stacks === null) {
    throw new Error("restore requires --stage. A local world has no backups.");
  }
  const restore: Restore = { stage, at, tables: Object.values(tables), stacks };
  const tools = toolsOf(admin, restore);
  if (values["dry-run"] === true) return listOf(await planSteps(restore, tools));
  if (values.discard === true) {
    const { state, operatorMust } = await discardRestore(restore, tools);
    if (operatorMust === undefined) return { at, state };
    admin.endWith(waitingExit);
    return { at, state, operator_must: operatorMust };
  }
  const outcome = await restoreStage(restore, tools);
  if (outcome.state === "completed") return outcome;
  admin.endWith(waitingExit);
  const { state, step, operatorMust } = outcome;
  return { at, state, step, operator_must: operatorMust };
}

/**
 * Returns the option `--at`, the time of the restore.
 * @throws Error if the value is not an existing second in UTC
 */
function secondOf(values: Values): string {
  const at = requiredOption(values, "at");
  const time = new Date(at);
  // JavaScript parses 2026-02-30 as 2026-03-02. The parsed time must therefore have the same text
  // as the option.
  const isTime = !Number.isNaN(time.getTime()) && time.toISOString() === at.replace(/Z$/, ".000Z");
  if (isTime) return at;
  throw new Error(
    `--at must be a second in UTC that exists, such as 2026-11-21T10:15:00Z (got "${at}").`,
  );
}

function toolsOf(admin: Admin, { stage, stacks }: Restore): RestoreTools {
  return {
    cloud: awsRestoreCloud({
      dynamo: new DynamoDBClient(admin.target.clientOptions),
      formation: new CloudFormationClient(admin.target.clientOptions),
      ssm: new SSMClient(admin.target.clientOptions),
      stacks,
      parameter: `/retail-product-data/${stage}/restore`,
      clock: systemClock,
      pollMs,
    }),
    reconcile: () => differencesOf(admin),
    confirm: admin.confirm,
    note: admin.warn,
    clock: systemClock,
    pollMs,
  };
}

/** Compares all data that is stored twice, prints the differences, and returns their number. */
async function differencesOf(admin: Admin): Promise<number> {
  const tally = await compareData({}, admin, (difference) =>
    admin.warn(`  ${escapeControls(differenceLine(difference))}`),
  );
  admin.warn(`  ${tallyLine(tally)}`);
  return tally.differences;
}
