import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import type { RemovalPolicy, StackProps } from "aws-cdk-lib";
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
} from "aws-cdk-lib/aws-dynamodb";
import { Key } from "aws-cdk-lib/aws-kms";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import type { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { limits } from "../shared/base/limits.ts";
import { tableSchema } from "../shared/base/table-schema.ts";
import { acknowledge } from "./acknowledgements.ts";
import { type Config, configs, type Stage } from "./config.ts";
import { Analytics } from "./constructs/analytics.ts";
import { DeploymentEventBus } from "./constructs/deployment-event-bus.ts";
import { OperatorAccess } from "./constructs/operator-access.ts";
import { TableBackups } from "./constructs/table-backups.ts";
import type { AnalyticsChoice, BackupChoice, EventBusChoice } from "./context.ts";
import { type DataOutput, eventBusOutput } from "./data-references.ts";
import { AlarmTopic } from "./observability/alarm-topic.ts";
import { pinLogicalId } from "./pin-logical-id.ts";

export interface DataStackProps extends StackProps {
  readonly stage: Stage;
  readonly config: Config;
  readonly backups: BackupChoice;
  readonly eventBus: EventBusChoice;
  readonly analytics: AnalyticsChoice;
  /** Name of the service stack, which operators may describe and delete. */
  readonly serviceStackName: string;
}

/**
 * The resources whose data must survive deployments: tables and their backups, the events bucket,
 * keys, the alarm topic and the event bus. The roles of operators are here too, because a restore
 * deletes the service stack. Logical IDs are pinned: if one changed, CloudFormation would replace
 * the resource, and the data would be lost. The service stack reads the outputs (`DataReferences`).
 */
export class DataStack extends Stack {
  readonly #accounts: Table;
  readonly #ledger: Table;
  readonly #watchlists: Table;
  readonly #deliveries: Table;
  readonly #secretsKey: Key;
  readonly #events: Bucket;
  /**
   * The topic is in this stack, so that its subscriptions survive the deletion of the service
   * stack.
   */
  readonly #alarmTopic: Topic;

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, { ...props, terminationProtection: props.config.protectedFromDeletion });

    this.#secretsKey = new Key(this, "SecretsKey", {
      description: "Encrypts the webhook secrets and export keys of customers.",
      enableKeyRotation: true,
      removalPolicy: props.config.removalPolicy,
    });
    pinLogicalId(this.#secretsKey, "SecretsKey");
    this.#events = this.eventsBucket(props.config.removalPolicy);
    this.#alarmTopic = new AlarmTopic(this, "Alarms", props).topic;

    this.#accounts = this.table("AccountsTable", props.config);
    this.#ledger = this.table("LedgerTable", props.config);
    this.#watchlists = this.table("WatchlistsTable", props.config);
    this.#deliveries = this.table("DeliveriesTable", props.config);
    for (const table of [this.#accounts, this.#watchlists, this.#deliveries]) addDueIndex(table);
    // With the context key `unprotect`, `props.config` has no protection. The vault must exist even
    // then, so the condition uses the configuration of the stage.
    if (props.backups.enabled || configs[props.stage].protectedFromDeletion) {
      new TableBackups(this, "Backups", {
        tables: [this.#accounts, this.#ledger, this.#watchlists, this.#deliveries],
        stage: props.stage,
        backups: props.backups,
      });
    }
    const { auditLog } = new OperatorAccess(this, "Operators", {
      stage: props.stage,
      dataStackName: this.stackName,
      serviceStackName: props.serviceStackName,
      accounts: this.#accounts,
      ledger: this.#ledger,
      others: [this.#watchlists, this.#deliveries],
      removalPolicy: props.config.removalPolicy,
    });
    if (props.eventBus.enabled) {
      const { bus } = new DeploymentEventBus(this, "Events", {
        stage: props.stage,
        options: props.eventBus,
      });
      new CfnOutput(this, eventBusOutput, { value: bus.eventBusName });
    }
    if (props.analytics.enabled) {
      const { exports: place } = props.analytics;
      new Analytics(this, "Analytics", { stage: props.stage, exports: place });
    }
    new CfnOutput(this, "OperatorAuditLogName", { value: auditLog.logGroupName });
    this.outputs();
    this.exportsOfPreviousRelease();
  }

  private table(id: string, config: Config): Table {
    const table = new Table(this, id, {
      partitionKey: { name: tableSchema.partitionKey, type: AttributeType.STRING },
      sortKey: { name: tableSchema.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: tableSchema.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: config.protectedFromDeletion,
      removalPolicy: config.removalPolicy,
    });
    pinLogicalId(table, id);
    // Tables are created last. If another resource of a first deployment fails, no protected table
    // remains.
    table.node.addDependency(this.#secretsKey, this.#events, this.#alarmTopic);
    return table;
  }

  private eventsBucket(removalPolicy: RemovalPolicy): Bucket {
    const bucket = new Bucket(this, "EventsBucket", {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      versioned: false,
      lifecycleRules: [
        {
          id: "expire-event-bodies",
          expiration: Duration.days(limits.eventBodyDays),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      removalPolicy,
    });
    pinLogicalId(bucket, "EventsBucket");
    acknowledge(bucket, "AwsSolutions-S1");
    return bucket;
  }

  private outputs(): void {
    const values: Readonly<
      Record<Exclude<DataOutput, "AlarmTopicArn" | typeof eventBusOutput>, string>
    > = {
      AccountsTableName: this.#accounts.tableName,
      LedgerTableName: this.#ledger.tableName,
      WatchlistsTableName: this.#watchlists.tableName,
      DeliveriesTableName: this.#deliveries.tableName,
      EventsBucketName: this.#events.bucketName,
      SecretsKeyId: this.#secretsKey.keyId,
    };
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value });
  }

  /**
   * Creates the exports that the service stack of release 0.1.0 imports. Remove this method in
   * release 0.3.0, from which operators cannot roll back to 0.1.0.
   */
  private exportsOfPreviousRelease(): void {
    const tables = [this.#accounts, this.#ledger, this.#watchlists, this.#deliveries];
    for (const value of [
      ...tables.flatMap((table) => [table.tableName, table.tableArn]),
      this.#events.bucketName,
      this.#events.bucketArn,
      this.#secretsKey.keyId,
      this.#secretsKey.keyArn,
      this.#alarmTopic.topicArn,
    ]) {
      this.exportValue(value);
    }
  }
}

/** Adds the index in which the sweeper finds due rows. */
function addDueIndex(table: Table): void {
  const { name, partitionKey, sortKey } = tableSchema.dueIndex;
  table.addGlobalSecondaryIndex({
    indexName: name,
    partitionKey: { name: partitionKey, type: AttributeType.STRING },
    sortKey: { name: sortKey, type: AttributeType.STRING },
    projectionType: ProjectionType.KEYS_ONLY,
  });
}
