import type { Task } from "./turns.ts";

export type ServiceName = "dynamo" | "sqs" | "scheduler" | "kms" | "s3";

export type Members = Readonly<Record<string, unknown>>;

/** One attempt of a request, below the SDK's own retries. */
export interface Attempt {
  readonly service: ServiceName;
  /** The operation's name: `PutItem`. */
  readonly operation: string;
  /** As it goes over the wire. */
  readonly input: Members;
  /** Where it is sent from, as `file:line`. */
  readonly site: string;
  /** True when the SDK tries the same request again. */
  readonly isAgain: boolean;
  /** Whose request it is. */
  readonly task: Task;
}

export interface Sent {
  readonly response: unknown;
  readonly output: Members;
}
