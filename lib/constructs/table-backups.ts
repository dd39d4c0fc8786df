import { Aws, Duration, Fn, RemovalPolicy } from "aws-cdk-lib";
import {
  BackupPlan,
  BackupPlanRule,
  BackupResource,
  BackupVault,
  type IBackupVault,
} from "aws-cdk-lib/aws-backup";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { Schedule } from "aws-cdk-lib/aws-events";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledgements.ts";
import type { Stage } from "../config.ts";
import type { BackupChoice } from "../context.ts";
import { pinLogicalId } from "../pin-logical-id.ts";

export interface TableBackupsProps {
  readonly stage: Stage;
  readonly tables: readonly Table[];
  /** If backups are off, only the vault is created. */
  readonly backups: BackupChoice;
}

/**
 * Point-in-time recovery covers the last 35 days. Daily backups are needed only after the loss of
 * the tables, so seven days are enough. With a copy vault, they also cover the loss of the region
 * or of the AWS account.
 */
const dailyBackupsKept = Duration.days(7);
const monthlyBackupsKept = Duration.days(365);

/**
 * Daily and monthly backups of tables in AWS Backup. The backups survive the deletion of the tables
 * and of the stack. The policy of their vault denies deletion, but an administrator can remove the
 * policy. AWS Backup deletes expired backups with a role of the stack. After the stack is deleted,
 * an operator must therefore delete the expired backups. The vault exists even if backups are off.
 * CloudFormation retains a vault that leaves the stack, and could not create it again, because it
 * has a fixed name.
 */
export class TableBackups extends Construct {
  constructor(scope: Construct, id: string, props: TableBackupsProps) {
    super(scope, id);
    const vault = new BackupVault(this, "Vault", {
      // The ID of the stack makes the name unique, because the vault survives the stack.
      backupVaultName: `RetailProductData-${props.stage}-${idOfStack()}`,
      blockRecoveryPointDeletion: true,
      // AWS Backup refuses to delete a vault that has backups.
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    pinLogicalId(vault, "BackupVault");
    if (props.backups.enabled) this.backUp(props.tables, vault, props.backups.copyVaultArn);
  }

  private backUp(
    tables: readonly Table[],
    vault: BackupVault,
    copyVaultArn: string | undefined,
  ): void {
    const plan = new BackupPlan(this, "Plan", { backupVault: vault });
    plan.addRule(
      new BackupPlanRule({
        ruleName: "daily",
        scheduleExpression: Schedule.cron({ minute: "0", hour: "3" }),
        deleteAfter: dailyBackupsKept,
        ...(copyVaultArn !== undefined && {
          copyActions: [
            {
              destinationBackupVault: this.copyVault(copyVaultArn),
              deleteAfter: dailyBackupsKept,
            },
          ],
        }),
      }),
    );
    plan.addRule(
      new BackupPlanRule({
        ruleName: "monthly",
        scheduleExpression: Schedule.cron({ minute: "0", hour: "4", day: "1" }),
        deleteAfter: monthlyBackupsKept,
      }),
    );
    const resources = tables.map((table) => BackupResource.fromDynamoDbTable(table));
    const selection = plan.addSelection("Tables", { resources });
    acknowledge(
      selection,
      "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]",
    );
  }

  private copyVault(arn: string): IBackupVault {
    return BackupVault.fromBackupVaultArn(this, "CopyVault", arn);
  }
}

/** The first part of the UUID at the end of the stack's ID. */
const idOfStack = (): string =>
  Fn.select(0, Fn.split("-", Fn.select(2, Fn.split("/", Aws.STACK_ID))));
