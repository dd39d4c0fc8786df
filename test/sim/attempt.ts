import type { Task } from "./task-scheduler.ts";

export type ServiceName = "dynamo" | "sqs" | "scheduler" | "kms" | "s3";

export type Members = Readonly<Record<string, unknown>>;

/** One attempt to send an SDK request. Each retry by the SDK is a separate attempt. */
export interface Attempt {
  readonly service: ServiceName;
  /** The name of the operation, such as `PutItem`. */
  readonly operation: string;
  /** The input of the operation in its wire format. */
  readonly input: Members;
  /** The place in product code that sends the request, as `file:line`. */
  readonly site: string;
  /** True if the SDK repeats an earlier attempt. */
  readonly isAgain: boolean;
  /** The task whose code sends the request. */
  readonly task: Task;
}

/** The value that the SDK's middleware returns for an attempt. */
export interface Sent {
  readonly response: unknown;
  readonly output: Members;
}
