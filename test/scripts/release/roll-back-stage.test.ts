import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { describe, expect, it } from "vitest";
import { rollBackStage } from "../../../scripts/release/roll-back-stage.ts";

const stack = "RetailProductData-prod-service";

/**
 * Creates a fake CloudFormation client with one stack. Each request gets the next of `statuses`.
 * Further requests get the last status.
 */
function formation(...statuses: readonly string[]) {
  const left = [...statuses];
  const commands: string[] = [];
  const client = {
    send: async (command: { readonly constructor: { readonly name: string } }) => {
      commands.push(command.constructor.name);
      const StackStatus = left.length > 1 ? left.shift() : left[0];
      return { Stacks: [{ StackStatus }] };
    },
  } as unknown as CloudFormationClient;
  return { client, commands };
}

function rollback(deployed: string[] | null) {
  const lines: string[] = [];
  const deployEarlier = deployed && (async () => void deployed.push("earlier release"));
  return { stack, deployEarlier, log: (line: string) => lines.push(line), pollMs: 0, lines };
}

describe("rollBackStage, the command that rolls a stage back,", () => {
  it("cancels a stack update that is in progress, and deploys nothing", async () => {
    const deployed: string[] = [];
    const { client, commands } = formation(
      "UPDATE_IN_PROGRESS",
      "UPDATE_IN_PROGRESS",
      "UPDATE_ROLLBACK_IN_PROGRESS",
      "UPDATE_ROLLBACK_COMPLETE",
    );
    const options = rollback(deployed);
    await rollBackStage(client, options);

    expect(commands.filter((name) => name === "CancelUpdateStackCommand")).toHaveLength(1);
    expect(options.lines.at(-1)).toBe(`${stack}: UPDATE_ROLLBACK_COMPLETE`);
    expect(deployed).toEqual([]);
  });

  it("fails if canceling an update does not restore the previous state of the stack", async () => {
    const { client } = formation("UPDATE_IN_PROGRESS", "x", "UPDATE_ROLLBACK_FAILED");

    await expect(rollBackStage(client, rollback(null))).rejects.toThrow(
      `UPDATE_ROLLBACK_FAILED. See the events of the stack in CloudFormation. Fix the cause, then run: ` +
        `aws cloudformation continue-update-rollback --stack-name ${stack}`,
    );
  });

  it.each([
    ["UPDATE_ROLLBACK_FAILED", "continue-update-rollback"],
    ["DELETE_FAILED", "delete-stack"],
    ["ROLLBACK_COMPLETE", "delete-stack"],
  ])(
    "names the command that repairs a stack with the status %s, and deploys nothing",
    async (status, command) => {
      for (const deployed of [null, []] as (string[] | null)[]) {
        const { client } = formation(status);

        await expect(rollBackStage(client, rollback(deployed))).rejects.toThrow(
          `aws cloudformation ${command} --stack-name ${stack}`,
        );
        expect(deployed ?? []).toEqual([]);
      }
    },
  );

  it.each(["UPDATE_COMPLETE", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "UPDATE_ROLLBACK_COMPLETE"])(
    "deploys the earlier release to a stack with the status %s",
    async (status) => {
      const deployed: string[] = [];
      const { client, commands } = formation(status);
      await rollBackStage(client, rollback(deployed));

      expect(deployed).toEqual(["earlier release"]);
      expect(commands).not.toContain("CancelUpdateStackCommand");
    },
  );

  it("asks the operator to name a release if no stack update is in progress", async () => {
    const { client } = formation("UPDATE_COMPLETE");

    await expect(rollBackStage(client, rollback(null))).rejects.toThrow("--to <git tag>");
  });

  it("changes nothing and fails while a rollback or deletion of a stack is in progress", async () => {
    for (const status of ["UPDATE_ROLLBACK_IN_PROGRESS", "DELETE_IN_PROGRESS"]) {
      const deployed: string[] = [];
      const { client } = formation(status);

      await expect(rollBackStage(client, rollback(deployed))).rejects.toThrow(status);
      expect(deployed).toEqual([]);
    }
  });
});
