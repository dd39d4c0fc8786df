import { ArnFormat, Fn, Stack } from "aws-cdk-lib";
import { Topic } from "aws-cdk-lib/aws-sns";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";

/**
 * The outputs of the data stack that the service stack reads. If a release no longer reads an
 * output, the data stack of this release must still have the output, so that operators can return
 * to the previous release.
 */
export const dataOutputs = [
  "AccountsTableName",
  "LedgerTableName",
  "WatchlistsTableName",
  "DeliveriesTableName",
  "EventsBucketName",
  "SecretsKeyId",
  "AlarmTopicArn",
] as const;
/** The output with the name of the event bus. It exists only if the deployment has a bus. */
export const eventBusOutput = "EventBusName";
export type DataOutput = (typeof dataOutputs)[number] | typeof eventBusOutput;

export interface TableReference {
  readonly tableName: string;
  readonly tableArn: string;
}

export interface BucketReference {
  readonly bucketName: string;
  readonly bucketArn: string;
}

export interface EventBusReference {
  readonly busName: string;
  readonly busArn: string;
}

export interface KeyReference {
  readonly keyId: string;
  readonly keyArn: string;
}

/**
 * The resources of the data stack, for the service stack. CloudFormation reads the outputs of the
 * data stack when it creates or updates the service stack. Unlike exports, outputs do not prevent
 * later changes of the data stack (docs/adr/0021).
 */
export class DataReferences extends Construct {
  readonly accounts: TableReference;
  readonly ledger: TableReference;
  readonly watchlists: TableReference;
  readonly deliveries: TableReference;
  /** The tables with a due index, in which the sweeper finds due rows. */
  readonly dueIndexed: readonly TableReference[];
  /** Encrypts only webhook secrets and export keys. */
  readonly secretsKey: KeyReference;
  /** The bucket of event bodies. */
  readonly events: BucketReference;
  /** The bus of all events; null if the deployment has no event bus. */
  readonly eventBus: EventBusReference | null;
  /** The topic of all alarms. */
  readonly alarmTopic: ITopic;
  readonly #stackName: string;

  /**
   * @param props.stackName name of the data stack, in the same account and region
   * @param props.hasEventBus true if the data stack has an event bus
   */
  constructor(
    scope: Construct,
    id: string,
    props: { readonly stackName: string; readonly hasEventBus: boolean },
  ) {
    super(scope, id);
    this.#stackName = props.stackName;
    this.accounts = this.table("AccountsTableName");
    this.ledger = this.table("LedgerTableName");
    this.watchlists = this.table("WatchlistsTableName");
    this.deliveries = this.table("DeliveriesTableName");
    this.dueIndexed = [this.accounts, this.watchlists, this.deliveries];
    this.secretsKey = this.key("SecretsKeyId");
    this.events = this.bucket("EventsBucketName");
    this.eventBus = props.hasEventBus ? this.bus(eventBusOutput) : null;
    this.alarmTopic = Topic.fromTopicArn(this, "AlarmTopic", this.output("AlarmTopicArn"));
  }

  private output(name: DataOutput): string {
    return Fn.getStackOutput(this.#stackName, name);
  }

  private table(name: DataOutput): TableReference {
    const tableName = this.output(name);
    const tableArn = this.arn({ service: "dynamodb", resource: "table", resourceName: tableName });
    return { tableName, tableArn };
  }

  private key(name: DataOutput): KeyReference {
    const keyId = this.output(name);
    return { keyId, keyArn: this.arn({ service: "kms", resource: "key", resourceName: keyId }) };
  }

  private bucket(name: DataOutput): BucketReference {
    const bucketName = this.output(name);
    const bucketArn = Stack.of(this).formatArn({
      service: "s3",
      region: "",
      account: "",
      resource: bucketName,
      arnFormat: ArnFormat.NO_RESOURCE_NAME,
    });
    return { bucketName, bucketArn };
  }

  private bus(name: DataOutput): EventBusReference {
    const busName = this.output(name);
    return {
      busName,
      busArn: this.arn({ service: "events", resource: "event-bus", resourceName: busName }),
    };
  }

  private arn(parts: {
    readonly service: string;
    readonly resource: string;
    readonly resourceName: string;
  }): string {
    return Stack.of(this).formatArn({ ...parts, arnFormat: ArnFormat.SLASH_RESOURCE_NAME });
  }
}
