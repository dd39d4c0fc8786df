import type { Claim, Lease, Work } from "../webhooks/work.ts";

/** The export of one run: its events in order, then the manifest. */
export interface ExportJob extends Work {
  readonly id: string;
  readonly runId: string;
  readonly watchlistId: string;
  readonly state: "pending" | "done" | "failed";
  /** Position of the next event to write. */
  readonly next: number;
  /** `updatedAt` of the destination that has the events before `next`; null when none has. */
  readonly destinationAt: string | null;
  readonly lastError: string | null;
  readonly createdAt: string;
}

/** Exports by id, kept for 30 days. `Work.attempt` counts attempts since the last progress. */
export interface ExportJobStore {
  /** Keeps a new job; a job that is there already stays as it is. */
  open(accountId: string, job: ExportJob): Promise<void>;
  get(accountId: string, id: string): Promise<ExportJob | null>;
  /** Takes a due job; false when somebody else has taken it or it is not due. */
  claim(accountId: string, id: string, claim: Claim): Promise<boolean>;
  /** Notes progress and keeps the lease until `lease.until`; false when the lease was lost. */
  advance(
    accountId: string,
    id: string,
    change: { readonly lease: Lease; readonly next: number; readonly destinationAt: string },
  ): Promise<boolean>;
  /** Gives the lease back: the job goes on at `dueAt`, or never when it is over. */
  settle(accountId: string, id: string, change: ExportSettlement): Promise<boolean>;
}

interface ExportSettlement {
  readonly token: string;
  readonly state: ExportJob["state"];
  readonly dueAt: Date | null;
  readonly lastError: string | null;
}
