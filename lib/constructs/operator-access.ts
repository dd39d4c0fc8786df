import { Aws, type RemovalPolicy } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { AccountRootPrincipal, PolicyStatement, Role } from "aws-cdk-lib/aws-iam";
import { LogGroup, LogStream, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { explainWildcard, type Wildcard } from "../acknowledgements.ts";
import type { Stage } from "../config.ts";
import { auditLogStream, type OperatorRole, operatorRoleName } from "../operator-names.ts";
import { pinLogicalId } from "../pin-logical-id.ts";

export interface OperatorAccessProps {
  readonly stage: Stage;
  readonly dataStackName: string;
  readonly serviceStackName: string;
  readonly accounts: Table;
  /** The ledger table. Operators cannot change or delete its rows. */
  readonly ledger: Table;
  /** The tables other than those of accounts and of the ledger. */
  readonly others: readonly Table[];
  readonly removalPolicy: RemovalPolicy;
}

const auditRetention = RetentionDays.ONE_YEAR;

const readRows = ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"];
const appendRows = ["dynamodb:ConditionCheckItem", "dynamodb:PutItem"];
const changeRows = [
  ...appendRows,
  "dynamodb:BatchWriteItem",
  "dynamodb:DeleteItem",
  "dynamodb:UpdateItem",
];
/** The actions that DynamoDB requires on the rows of a table that it restores. */
const restoreRows = [...changeRows, ...readRows, "dynamodb:Scan"];

/**
 * The roles that `npm run admin` assumes, and the log group of its audit lines. Roles and log group
 * are in the data stack, because a restore deletes the service stack. A principal of the AWS
 * account may assume a role if its policies allow it.
 */
export class OperatorAccess extends Construct {
  readonly auditLog: LogGroup;
  readonly #props: OperatorAccessProps;

  constructor(scope: Construct, id: string, props: OperatorAccessProps) {
    super(scope, id);
    this.#props = props;
    this.auditLog = new LogGroup(this, "AuditLog", {
      retention: auditRetention,
      removalPolicy: props.removalPolicy,
    });
    pinLogicalId(this.auditLog, "OperatorAuditLog");
    new LogStream(this, "AuditLogStream", {
      logGroup: this.auditLog,
      logStreamName: auditLogStream,
      removalPolicy: props.removalPolicy,
    });
    const [read, act, breakGlass] = [this.role("read"), this.role("act"), this.role("break-glass")];
    for (const role of [read, act, breakGlass]) this.allowReading(role);
    for (const role of [act, breakGlass]) this.allowActing(role);
    this.allowRestoring(breakGlass);
  }

  private role(name: OperatorRole): Role {
    return new Role(this, name, {
      roleName: operatorRoleName(this.#props.stage, Aws.REGION, name),
      description: `Operators of the retail product data service, ${this.#props.stage}: ${name}.`,
      assumedBy: new AccountRootPrincipal(),
    });
  }

  private allowReading(role: Role): void {
    const { accounts, ledger, dataStackName, serviceStackName } = this.#props;
    allow(role, [readRows, this.tableArns()]);
    allow(role, [["dynamodb:Scan"], [accounts.tableArn, ledger.tableArn]]);
    const stacks = [dataStackName, serviceStackName].map(stackArn);
    allow(role, [["cloudformation:DescribeStacks"], stacks], "operatorStacks");
    allow(role, [["sqs:GetQueueAttributes"], [this.queues("*")]], "operatorQueues");
    // The actions that are needed to show dead letters: receiving them, and returning them to their
    // queue.
    const showing = ["sqs:ChangeMessageVisibility", "sqs:ReceiveMessage"];
    allow(role, [showing, [this.queues("*DeadLetterQueue*")]], "operatorQueues");
    this.auditLog.grant(role, "logs:FilterLogEvents");
  }

  private allowActing(role: Role): void {
    const { accounts, ledger, others } = this.#props;
    allow(role, [changeRows, [accounts, ...others].map(({ tableArn }) => tableArn)]);
    allow(role, [appendRows, [ledger.tableArn]]);
    // The actions, in addition to ReceiveMessage, that SQS requires to move dead letters.
    const moving = ["sqs:DeleteMessage", "sqs:ListMessageMoveTasks", "sqs:StartMessageMoveTask"];
    allow(role, [moving, [this.queues("*DeadLetterQueue*")]], "operatorQueues");
    allow(role, [["sqs:SendMessage"], [this.queues("*")]], "operatorQueues");
    this.auditLog.grant(role, "logs:PutLogEvents");
  }

  private allowRestoring(role: Role): void {
    const { stage, dataStackName, serviceStackName } = this.#props;
    const copies = this.tableArns().map((arn) => `${arn}-restored`);
    allow(role, [
      [
        ...restoreRows,
        "dynamodb:CreateBackup",
        "dynamodb:DeleteTable",
        "dynamodb:DescribeContinuousBackups",
        "dynamodb:DescribeTable",
        "dynamodb:DescribeTimeToLive",
        "dynamodb:ListTagsOfResource",
        "dynamodb:RestoreTableFromBackup",
        "dynamodb:RestoreTableToPointInTime",
        "dynamodb:TagResource",
        "dynamodb:UpdateContinuousBackups",
        "dynamodb:UpdateTable",
        "dynamodb:UpdateTimeToLive",
      ],
      [...this.tableArns(), ...copies],
    ]);
    const backups = copies.map((arn) => `${arn}/backup/*`);
    const onBackups = ["dynamodb:DeleteBackup", "dynamodb:RestoreTableFromBackup"];
    allow(role, [onBackups, backups], "operatorBackups");
    const onData = [
      "cloudformation:DescribeStackResourceDrifts",
      "cloudformation:DetectStackDrift",
      // CloudFormation also requires this action, for each resource that it compares.
      "cloudformation:DetectStackResourceDrift",
    ];
    allow(role, [onData, [stackArn(dataStackName)]], "operatorStacks");
    allow(role, [["cloudformation:DeleteStack"], [stackArn(serviceStackName)]], "operatorStacks");
    const onAll = [
      // CloudFormation also requires this action to detect drift.
      "cloudformation:BatchDescribeTypeConfigurations",
      "cloudformation:DescribeStackDriftDetectionStatus",
      "dynamodb:ListBackups",
    ];
    allow(role, [onAll, ["*"]], "operatorLists");
    const progress = arn("ssm", `parameter/retail-product-data/${stage}/restore`);
    allow(role, [["ssm:DeleteParameter", "ssm:GetParameter", "ssm:PutParameter"], [progress]]);
  }

  private tableArns(): readonly string[] {
    const { accounts, ledger, others } = this.#props;
    return [accounts, ledger, ...others].map(({ tableArn }) => tableArn);
  }

  /** The ARN of the queues whose logical IDs match a pattern. */
  private queues(pattern: string): string {
    return arn("sqs", `${this.#props.serviceStackName}-${pattern}`);
  }
}

const arn = (service: string, resource: string): string =>
  `arn:${Aws.PARTITION}:${service}:${Aws.REGION}:${Aws.ACCOUNT_ID}:${resource}`;

const stackArn = (name: string): string => arn("cloudformation", `stack/${name}/*`);

/**
 * Allows a role actions on resources. `wildcard` explains the wildcards in the resources, if any.
 */
function allow(
  role: Role,
  [actions, resources]: readonly [readonly string[], readonly string[]],
  wildcard?: Wildcard,
): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({ actions: [...actions], resources: [...resources] }),
  );
  if (wildcard === undefined) return;
  for (const resource of resources) explainWildcard(role, wildcard, resource);
}
