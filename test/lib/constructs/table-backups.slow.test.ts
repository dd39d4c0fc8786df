import { describe, expect, it } from "vitest";
import type { GivenContext } from "../../../lib/context.ts";
import { propertiesOf, resourcesOf, synthesize } from "../synthesize.ts";

const tables = ["AccountsTable", "LedgerTable", "WatchlistsTable", "DeliveriesTable"];
const backupCopyVault = "arn:aws:backup:eu-west-1:123456789012:backup-vault:copies";

interface Rule {
  readonly RuleName: string;
  readonly ScheduleExpression: string;
  readonly Lifecycle: unknown;
  readonly CopyActions?: unknown;
}

function rulesOf(context: Readonly<Record<string, string>>): readonly Rule[] {
  const [plan] = propertiesOf(synthesize("prod", context).data, "AWS::Backup::BackupPlan");
  const content = plan?.["BackupPlan"] as { BackupPlanRule: readonly Rule[] } | undefined;
  return content?.BackupPlanRule ?? [];
}

describe("the backups of the tables", () => {
  it("exist in prod by default, and in dev if the context requests it", () => {
    for (const { data } of [synthesize("prod"), synthesize("dev", { backups: "on" })]) {
      expect(Object.keys(resourcesOf(data, "AWS::Backup::BackupPlan"))).toHaveLength(1);
    }
    for (const { data } of [synthesize("dev"), synthesize("prod", { backups: "off" })]) {
      expect(resourcesOf(data, "AWS::Backup::BackupPlan")).toEqual({});
    }
  });

  it("keep their vault in the data stack of prod after the backups are turned off", () => {
    const vaultOf = (context: GivenContext): unknown =>
      resourcesOf(synthesize("prod", context).data, "AWS::Backup::BackupVault");
    const vault = vaultOf({});

    expect(Object.keys(vault ?? {})).toEqual(["BackupVault"]);
    expect(vaultOf({ backups: "off" })).toEqual(vault);
    expect(vaultOf({ backups: "off", unprotect: "RetailProductData-prod-data" })).toEqual(vault);
    expect(resourcesOf(synthesize("dev").data, "AWS::Backup::BackupVault")).toEqual({});
  });

  it("cover all tables", () => {
    const [selection] = propertiesOf(synthesize("prod").data, "AWS::Backup::BackupSelection");
    const text = JSON.stringify(selection?.["BackupSelection"]);

    for (const table of tables) expect(text).toContain(`"${table}"`);
  });

  it("are created daily and kept for a week, and monthly and kept for a year", () => {
    expect(rulesOf({})).toMatchObject([
      {
        RuleName: "daily",
        ScheduleExpression: "cron(0 3 * * ? *)",
        Lifecycle: { DeleteAfterDays: 7 },
      },
      {
        RuleName: "monthly",
        ScheduleExpression: "cron(0 4 1 * ? *)",
        Lifecycle: { DeleteAfterDays: 365 },
      },
    ]);
  });

  it("are copied each day to the vault that the context names", () => {
    expect(rulesOf({}).map(({ CopyActions }) => CopyActions)).toEqual([undefined, undefined]);
    const [daily, monthly] = rulesOf({ backupCopyVault });

    expect(daily?.CopyActions).toEqual([
      { DestinationBackupVaultArn: backupCopyVault, Lifecycle: { DeleteAfterDays: 7 } },
    ]);
    expect(monthly?.CopyActions).toBeUndefined();
  });

  it("are stored in a vault that denies deletions and remains when the stack is deleted", () => {
    const [vault] = Object.values(resourcesOf(synthesize("prod").data, "AWS::Backup::BackupVault"));

    expect(vault?.DeletionPolicy).toBe("RetainExceptOnCreate");
    expect(vault?.Properties["AccessPolicy"]).toMatchObject({
      Statement: [
        {
          Effect: "Deny",
          Action: ["backup:DeleteRecoveryPoint", "backup:UpdateRecoveryPointLifecycle"],
        },
      ],
    });
  });
});
