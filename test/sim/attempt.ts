import type { Task } from "./task-scheduler.ts";

export type ServiceName = "dynamo" | "sqs" | "scheduler" | "kms" | "s3";

export type Members = Readonly<Record<string, unknown>>;

/** One attempt of an SDK request; each retry by the SDK is another attempt. */
export interface Attempt {
  readonly service: ServiceName;
  /** The operation's name: `PutItem`. */
  readonly operation: string;
  /** The operation's input in wire format. */
  readonly input: Members;
  /** The call site in product code, as `file:line`. */
  readonly site: string;
  /** True for a retry by the SDK. */
  readonly isAgain: boolean;
  /** The task that sends the request. */
  readonly task: Task;
}

/** The result that the SDK's middleware returns for an attempt. */
export interface Sent {
  readonly response: unknown;
  readonly output: Members;
}
