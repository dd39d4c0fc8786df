import { setTimeout as delay } from "node:timers/promises";
import {
  CancelUpdateStackCommand,
  type CloudFormationClient,
} from "@aws-sdk/client-cloudformation";
import { findStack } from "../cloudformation/find-stack.ts";

/** A rollback of a stage. */
export interface Rollback {
  /** Name of the service stack. */
  readonly stack: string;
  /** Deploys the earlier release; null if the user named none. */
  readonly deployEarlier: (() => Promise<void>) | null;
  readonly log: (line: string) => void;
  readonly pollMs: number;
}

/**
 * Returns a stage to an earlier state. If an update of the service stack is in progress, cancels
 * the update, and CloudFormation restores the previous state of the whole stack. Otherwise, deploys
 * the earlier release.
 * @param rollback.deployEarlier Deploys the earlier release. Null if the user named none.
 * @param rollback.pollMs Milliseconds between two polls of the stack.
 * @throws Error if the stack does not exist, or is being created, deleted or rolled back.
 * @throws Error if the canceled update does not end in the previous state.
 * @throws Error with a command if the stack can only be repaired or deleted.
 * @throws Error if no update is in progress and no release is named.
 */
export async function rollBackStage(
  client: CloudFormationClient,
  { stack, deployEarlier, log, pollMs }: Rollback,
): Promise<void> {
  const status = await statusOf(client, stack);
  if (status === "UPDATE_IN_PROGRESS") {
    await client.send(new CancelUpdateStackCommand({ StackName: stack }));
    log(`Canceled the update of ${stack}. CloudFormation restores its previous state.`);
    const end = await settledStatus(client, { stack, pollMs });
    log(`${stack}: ${end}`);
    if (end === "UPDATE_ROLLBACK_COMPLETE") return;
    throw new Error(
      `The rollback of the stack ${stack} ended with ${end}. See the events of the stack in CloudFormation.${repairOf(stack, end)}`,
    );
  }
  const repair = repairOf(stack, status);
  if (repair !== "") throw new Error(`The stack ${stack} cannot be updated (${status}).${repair}`);
  if (status.endsWith("_IN_PROGRESS") && status !== "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS") {
    throw new Error(
      `The stack ${stack} is changing (${status}). Wait until the change has ended, then run this command again.`,
    );
  }
  if (deployEarlier === null) {
    throw new Error(
      `No update of the stack ${stack} is in progress (${status}). Name the release to return to with --to <git tag>.`,
    );
  }
  await deployEarlier();
}

/**
 * Returns the instruction to repair or delete a stack that no deployment can update; empty if a
 * deployment can update the stack.
 */
function repairOf(stack: string, status: string): string {
  if (status === "UPDATE_ROLLBACK_FAILED") {
    return ` Fix the cause, then run: aws cloudformation continue-update-rollback --stack-name ${stack}`;
  }
  if (["CREATE_FAILED", "DELETE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED"].includes(status)) {
    return ` Fix the cause, then run: aws cloudformation delete-stack --stack-name ${stack}`;
  }
  return "";
}

async function statusOf(client: CloudFormationClient, stack: string): Promise<string> {
  const foundStack = await findStack(client, stack);
  if (foundStack === undefined) {
    throw new Error(
      `There is no stack ${stack} in this AWS account and region. ` +
        "Check the stage, the region and the AWS credentials.",
    );
  }
  return foundStack.StackStatus ?? "unknown";
}

async function settledStatus(
  client: CloudFormationClient,
  { stack, pollMs }: Pick<Rollback, "stack" | "pollMs">,
): Promise<string> {
  for (;;) {
    const status = await statusOf(client, stack);
    if (!status.endsWith("_IN_PROGRESS")) return status;
    await delay(pollMs);
  }
}
