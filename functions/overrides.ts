import type { StepSources } from "../shared/runs/read-step.ts";

/**
 * What the local world and tests may inject into a function. A deployed function never passes any:
 * there is no environment variable behind these.
 */
export interface Overrides {
  /** Lets webhooks and exports reach loopback addresses, over plain HTTP too. */
  readonly allowLoopback?: boolean;
  /** Addresses buckets by path, as local S3 stores need it. */
  readonly forcePathStyle?: boolean;
  /** Variables that the references to sources' secrets may name, as `env:<name>`. */
  readonly secretVariables?: Readonly<Record<string, string | undefined>>;
  /** What a run's steps read from, instead of what SOURCES says: answers that a bench has made up. */
  readonly sources?: StepSources;
}
