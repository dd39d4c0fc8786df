import type { EventType } from "../events/event.ts";
import type { Claim, Lease, Work } from "./work.ts";

/** What one endpoint is owed of one run: the first attempts, in order. */
export interface RunJob extends Work {
  readonly id: string;
  readonly runId: string;
  readonly watchlistId: string;
  readonly endpointId: string;
  /** Event types the endpoint receives; null: every event of the run. */
  readonly types: readonly EventType[] | null;
  readonly state: "pending" | "done" | "failed";
  /** Position of the next event among those the endpoint receives. */
  readonly next: number;
  readonly failuresInRow: number;
  readonly createdAt: string;
}

interface RunJobProgress {
  readonly next: number;
  readonly failuresInRow: number;
}

/** Jobs by id, which is made of the run and the endpoint (`runJobId`). */
export interface RunJobStore {
  /** Keeps a new job; a job that is there already stays as it is. */
  open(accountId: string, job: RunJob): Promise<void>;
  get(accountId: string, id: string): Promise<RunJob | null>;
  /** Takes a due job; false when somebody else has taken it or it is not due. */
  claim(accountId: string, id: string, claim: Claim): Promise<boolean>;
  /** Notes progress and keeps the lease until `lease.until`; false when the lease was lost. */
  advance(
    accountId: string,
    id: string,
    change: { readonly lease: Lease; readonly progress: RunJobProgress },
  ): Promise<boolean>;
  /** Gives the lease back so that another message goes on from `dueAt`. */
  release(
    accountId: string,
    id: string,
    change: { readonly token: string; readonly dueAt: Date },
  ): Promise<void>;
  close(
    accountId: string,
    id: string,
    change: { readonly token: string; readonly state: "done" | "failed" },
  ): Promise<void>;
}

export const runJobId = (runId: string, endpointId: string): string => `${runId}.${endpointId}`;
