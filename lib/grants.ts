import { Aws } from "aws-cdk-lib";
import { Effect, Grant, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IGrantable, IRole } from "aws-cdk-lib/aws-iam";
import type { Alias } from "aws-cdk-lib/aws-lambda";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { tableSchema } from "../shared/base/table-schema.ts";
import { explainWildcard } from "./acknowledgements.ts";
import type {
  BucketReference,
  EventBusReference,
  KeyReference,
  TableReference,
} from "./data-references.ts";

/**
 * The actions of each kind of grant. Transactions need no separate actions, because DynamoDB
 * authorizes each of their operations.
 */
const actions = {
  tableRead: ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"],
  tableWrite: [
    "dynamodb:BatchWriteItem",
    "dynamodb:ConditionCheckItem",
    "dynamodb:DeleteItem",
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
  ],
  tableAppend: ["dynamodb:ConditionCheckItem", "dynamodb:PutItem"],
  keyCount: ["dynamodb:GetItem", "dynamodb:UpdateItem"],
  indexRead: ["dynamodb:Query"],
  rowQuery: ["dynamodb:Query"],
  queueSend: ["sqs:SendMessage"],
  busPut: ["events:PutEvents"],
  objectRead: ["s3:GetObject"],
  /** Without this action, S3 returns 403 instead of 404 for a missing object. */
  objectList: ["s3:ListBucket"],
  objectWrite: ["s3:PutObject"],
  encrypt: ["kms:Encrypt"],
  decrypt: ["kms:Decrypt"],
  secretRead: ["secretsmanager:GetSecretValue"],
  parameterRead: ["ssm:GetParameter"],
  scheduleManage: [
    "scheduler:CreateSchedule",
    "scheduler:DeleteSchedule",
    "scheduler:GetSchedule",
    "scheduler:UpdateSchedule",
  ],
  rolePass: ["iam:PassRole"],
  roleAssume: ["sts:AssumeRole"],
  invoke: ["lambda:InvokeFunction"],
} as const satisfies Record<string, readonly string[]>;

/**
 * Access to the rows of a table. `append` allows reads and new rows, but no updates or deletions.
 * It is for the ledger, whose rows never change.
 */
export type TableAccess = "read" | "append" | "read-write";

const tableActions: Readonly<Record<TableAccess, readonly string[]>> = {
  read: actions.tableRead,
  append: [...actions.tableRead, ...actions.tableAppend],
  "read-write": [...actions.tableRead, ...actions.tableWrite],
};

/** Grants a function or role access to the rows of a table, but not to its indexes. */
export function grantTable(grantee: IGrantable, table: TableReference, access: TableAccess): void {
  allow(grantee, tableActions[access], table.tableArn);
}

/**
 * Grants the lookup of API keys and the counting of their calls. The access is limited to the rows
 * of keys.
 */
export function grantKeyCount(grantee: IGrantable, accounts: TableReference): void {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: [...actions.keyCount],
      resources: [accounts.tableArn],
      conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["key#*"] } },
    }),
  );
}

/**
 * Grants reading the rows of the accounts table that contain the health of sources. These rows
 * contain no data of an account.
 */
export function grantSourceHealthRead(grantee: IGrantable, accounts: TableReference): void {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: [...actions.rowQuery],
      resources: [accounts.tableArn],
      conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["source#*"] } },
    }),
  );
}

/** Grants queries of a table's index of due rows. */
export function grantDueIndex(grantee: IGrantable, table: TableReference): void {
  allow(grantee, actions.indexRead, `${table.tableArn}/index/${tableSchema.dueIndex.name}`);
}

/** Grants sending messages to a queue. */
export function grantSend(grantee: IGrantable, queue: IQueue): void {
  allow(grantee, actions.queueSend, queue.queueArn);
}

/** Grants putting events on an event bus. */
export function grantPutEvents(grantee: IGrantable, bus: EventBusReference): void {
  allow(grantee, actions.busPut, bus.busArn);
}

/** Grants the invocation of a function through its alias, but not directly. */
export function grantInvoke(grantee: IGrantable, target: Alias): void {
  allow(grantee, actions.invoke, target.functionArn);
}

/** Grants writing every object of a bucket. */
export function grantObjectWrite(grantee: IGrantable, bucket: BucketReference): void {
  allow(grantee, actions.objectWrite, everyObjectOf(grantee, bucket));
}

/** Grants reading every object of a bucket. For a missing object, S3 returns 404 and not 403. */
export function grantObjectRead(grantee: IGrantable, bucket: BucketReference): void {
  allow(grantee, actions.objectRead, everyObjectOf(grantee, bucket));
  allow(grantee, actions.objectList, bucket.bucketArn);
}

/** Returns the ARN pattern of all objects of a bucket, and explains its wildcard. */
function everyObjectOf(grantee: IGrantable, bucket: BucketReference): string {
  const objects = `${bucket.bucketArn}/*`;
  explainWildcard(grantee, "eventBodies", objects);
  return objects;
}

/** Grants encryption with a KMS key. */
export function grantEncrypt(grantee: IGrantable, key: KeyReference): void {
  allow(grantee, actions.encrypt, key.keyArn);
}

/** Grants decryption with a KMS key. */
export function grantDecrypt(grantee: IGrantable, key: KeyReference): void {
  allow(grantee, actions.decrypt, key.keyArn);
}

/** Grants reading a secret of Secrets Manager. */
export function grantSecretRead(grantee: IGrantable, secretArn: string): void {
  allow(grantee, actions.secretRead, secretArn);
}

/** Grants reading an SSM parameter. */
export function grantParameterRead(grantee: IGrantable, parameterArn: string): void {
  allow(grantee, actions.parameterRead, parameterArn);
}

/** Grants decryption with a KMS key, by its ARN, such as a key of another AWS account. */
export function grantKeyDecrypt(grantee: IGrantable, keyArn: string): void {
  allow(grantee, actions.decrypt, keyArn);
}

/**
 * Grants assuming the roles that customers create for their exports, in any AWS account and with
 * any name. Each role requires the external ID of its customer, and the condition refuses calls
 * without an external ID. Roles of the service's own AWS account are denied, because a customer
 * could enter one.
 */
export function grantAssumeCustomerRoles(grantee: IGrantable): void {
  explainWildcard(grantee, "customerRoles", rolesOf("*"));
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: [...actions.roleAssume],
      resources: [rolesOf("*")],
      conditions: { StringLike: { "sts:ExternalId": "?*" } },
    }),
  );
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      effect: Effect.DENY,
      actions: [...actions.roleAssume],
      resources: [rolesOf(Aws.ACCOUNT_ID)],
    }),
  );
}

const rolesOf = (account: string): string => `arn:${Aws.PARTITION}:iam::${account}:role/*`;

/**
 * Grants the management of schedules, and permission to pass their role to EventBridge Scheduler.
 * @param scheduleArns ARN pattern of the schedules
 */
export function grantScheduleManage(grantee: IGrantable, scheduleArns: string, role: IRole): void {
  explainWildcard(grantee, "watchlistSchedules", scheduleArns);
  allow(grantee, actions.scheduleManage, scheduleArns);
  allowPassing(grantee, role);
}

/** Grants actions on one resource. */
function allow(grantee: IGrantable, granted: readonly string[], resourceArn: string): void {
  Grant.addToPrincipal({ grantee, actions: [...granted], resourceArns: [resourceArn] });
}

/** Grants permission to pass a role to EventBridge Scheduler. */
function allowPassing(grantee: IGrantable, role: IRole): void {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: [...actions.rolePass],
      resources: [role.roleArn],
      conditions: {
        StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" },
      },
    }),
  );
}
