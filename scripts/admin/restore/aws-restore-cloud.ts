import {
  type CloudFormationClient,
  DeleteStackCommand,
  DescribeStackDriftDetectionStatusCommand,
  DescribeStackResourceDriftsCommand,
  DetectStackDriftCommand,
} from "@aws-sdk/client-cloudformation";
import {
  ContinuousBackupsUnavailableException,
  CreateBackupCommand,
  DeleteBackupCommand,
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ListBackupsCommand,
  ListTagsOfResourceCommand,
  ResourceNotFoundException,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import {
  DeleteParameterCommand,
  GetParameterCommand,
  ParameterNotFound,
  PutParameterCommand,
  type SSMClient,
} from "@aws-sdk/client-ssm";
import * as v from "valibot";
import type { Clock } from "../../../shared/base/clock.ts";
import { findStack } from "../../cloudformation/find-stack.ts";
import type { StackNames } from "../target.ts";
import { progressSchema, type RestoreCloud, type TableSettings } from "./restore-cloud.ts";

export interface AwsRestoreCloudOptions {
  readonly dynamo: DynamoDBClient;
  readonly formation: CloudFormationClient;
  readonly ssm: SSMClient;
  readonly stacks: StackNames;
  /** The name of the SSM parameter that stores the progress of the restore. */
  readonly parameter: string;
  readonly clock: Clock;
  /** Milliseconds between two polls of a state in AWS. */
  readonly pollMs: number;
}

/**
 * The maximum number of attempts to enable point-in-time recovery. DynamoDB refuses this for some
 * time after a restore.
 */
const recoveryAttemptsMax = 60;

/**
 * The maximum number of polls for the result of a drift detection. A detection takes a few minutes.
 */
const driftAttemptsMax = 180;

/**
 * Creates a `RestoreCloud` that sends the requests of a restore to AWS and stores the progress in
 * an SSM parameter.
 */
export function awsRestoreCloud(options: AwsRestoreCloudOptions): RestoreCloud {
  const { dynamo, formation, stacks } = options;
  return {
    async table(name) {
      const table = await describeTable(dynamo, name);
      if (table === undefined) return undefined;
      return { id: table.TableId ?? "", isActive: table.TableStatus === "ACTIVE" };
    },
    settingsOf: (table) => settingsOf(dynamo, table),
    applySettings: (table, settings) => applySettings(options, table, settings),
    async restoreToTime(SourceTableName, TargetTableName, at) {
      const RestoreDateTime = new Date(at);
      await dynamo.send(
        new RestoreTableToPointInTimeCommand({ SourceTableName, TargetTableName, RestoreDateTime }),
      );
    },
    async restoreFromBackup(BackupArn, TargetTableName) {
      await dynamo.send(new RestoreTableFromBackupCommand({ BackupArn, TargetTableName }));
    },
    async createBackup(TableName, BackupName) {
      await dynamo.send(new CreateBackupCommand({ TableName, BackupName }));
    },
    async backup(TableName, backupName) {
      const { BackupSummaries = [] } = await dynamo.send(new ListBackupsCommand({ TableName }));
      const foundBackup = BackupSummaries.find(
        ({ BackupName, BackupStatus }) => BackupName === backupName && BackupStatus !== "DELETED",
      );
      if (foundBackup === undefined) return undefined;
      return {
        id: foundBackup.BackupArn ?? "",
        isAvailable: foundBackup.BackupStatus === "AVAILABLE",
      };
    },
    async deleteBackup(BackupArn) {
      await dynamo.send(new DeleteBackupCommand({ BackupArn }));
    },
    async deleteTable(TableName) {
      const table = await describeTable(dynamo, TableName);
      await dynamo.send(
        table?.DeletionProtectionEnabled === true
          ? new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false })
          : new DeleteTableCommand({ TableName }),
      );
    },
    async serviceStatus() {
      return (await findStack(formation, stacks.service))?.StackStatus;
    },
    async deleteService() {
      await formation.send(new DeleteStackCommand({ StackName: stacks.service }));
    },
    drift: () => driftOf(options),
    ...progressIn(options),
  };
}

async function describeTable(
  dynamo: DynamoDBClient,
  TableName: string,
): Promise<TableDescription | undefined> {
  try {
    return (await dynamo.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function settingsOf(dynamo: DynamoDBClient, TableName: string): Promise<TableSettings> {
  const table = await describeTable(dynamo, TableName);
  const { TimeToLiveDescription: timeToLive } = await dynamo.send(
    new DescribeTimeToLiveCommand({ TableName }),
  );
  const { ContinuousBackupsDescription: backups } = await dynamo.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  const { Tags = [] } = await dynamo.send(
    new ListTagsOfResourceCommand({ ResourceArn: table?.TableArn }),
  );
  const own = Tags.flatMap(({ Key = "", Value = "" }) =>
    // AWS sets these tags itself and refuses them in requests.
    Key.startsWith("aws:") ? [] : [[Key, Value] as const],
  );
  const recovery = backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  return {
    timeToLive:
      timeToLive?.TimeToLiveStatus === "ENABLED" ? (timeToLive.AttributeName ?? null) : null,
    pointInTimeRecovery: recovery === "ENABLED",
    deletionProtection: table?.DeletionProtectionEnabled === true,
    tags: Object.fromEntries(own),
  };
}

async function applySettings(
  options: AwsRestoreCloudOptions,
  TableName: string,
  wanted: TableSettings,
): Promise<void> {
  const { dynamo } = options;
  const present = await settingsOf(dynamo, TableName);
  const { timeToLive: AttributeName } = wanted;
  if (AttributeName !== null && present.timeToLive === null) {
    const TimeToLiveSpecification = { Enabled: true, AttributeName };
    await dynamo.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }
  if (wanted.pointInTimeRecovery && !present.pointInTimeRecovery) {
    await enableRecovery(options, TableName);
  }
  if (Object.keys(wanted.tags).length > 0) {
    const table = await describeTable(dynamo, TableName);
    const Tags = Object.entries(wanted.tags).map(([Key, Value]) => ({ Key, Value }));
    await dynamo.send(new TagResourceCommand({ ResourceArn: table?.TableArn, Tags }));
  }
  if (wanted.deletionProtection && !present.deletionProtection) {
    await dynamo.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
  }
}

async function enableRecovery(
  { dynamo, clock, pollMs }: AwsRestoreCloudOptions,
  TableName: string,
): Promise<void> {
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await dynamo.send(
        new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }),
      );
      return;
    } catch (error) {
      const isTooEarly = error instanceof ContinuousBackupsUnavailableException;
      if (!isTooEarly || attempt === recoveryAttemptsMax) throw error;
      await clock.sleep(pollMs);
    }
  }
}

async function driftOf({
  formation,
  stacks: { data: StackName },
  clock,
  pollMs,
}: AwsRestoreCloudOptions): Promise<readonly string[]> {
  const { StackDriftDetectionId } = await formation.send(
    new DetectStackDriftCommand({ StackName }),
  );
  for (let attempt = 1; ; attempt += 1) {
    const { DetectionStatus, DetectionStatusReason } = await formation.send(
      new DescribeStackDriftDetectionStatusCommand({ StackDriftDetectionId }),
    );
    if (DetectionStatus !== "DETECTION_IN_PROGRESS") {
      const reason = DetectionStatusReason ?? "CloudFormation returned no reason";
      const incomplete =
        DetectionStatus === "DETECTION_COMPLETE"
          ? []
          : [`The comparison of the stack ${StackName} is incomplete: ${reason}`];
      return [...incomplete, ...(await driftedResources(formation, StackName))];
    }
    if (attempt === driftAttemptsMax) {
      throw new Error(
        `CloudFormation did not complete the drift detection of the stack ${StackName} in time. Repeat the command.`,
      );
    }
    await clock.sleep(pollMs);
  }
}

async function driftedResources(
  formation: CloudFormationClient,
  StackName: string,
): Promise<readonly string[]> {
  const { StackResourceDrifts = [] } = await formation.send(
    new DescribeStackResourceDriftsCommand({
      StackName,
      StackResourceDriftStatusFilters: ["MODIFIED", "DELETED"],
    }),
  );
  return StackResourceDrifts.map(
    ({ LogicalResourceId, StackResourceDriftStatus, PropertyDifferences = [] }) => {
      const paths = PropertyDifferences.map(({ PropertyPath }) => PropertyPath).join(", ");
      return `${LogicalResourceId}: ${StackResourceDriftStatus}${paths && ` (${paths})`}`;
    },
  );
}

function progressIn({
  ssm,
  parameter: Name,
}: AwsRestoreCloudOptions): Pick<RestoreCloud, "progress" | "saveProgress" | "deleteProgress"> {
  return {
    async progress() {
      try {
        const { Parameter } = await ssm.send(new GetParameterCommand({ Name }));
        return v.parse(progressSchema, JSON.parse(Parameter?.Value ?? ""));
      } catch (error) {
        if (error instanceof ParameterNotFound) return undefined;
        throw error;
      }
    },
    async saveProgress(progress) {
      const Value = JSON.stringify(progress);
      await ssm.send(new PutParameterCommand({ Name, Value, Type: "String", Overwrite: true }));
    },
    async deleteProgress() {
      await ssm.send(new DeleteParameterCommand({ Name }));
    },
  };
}
