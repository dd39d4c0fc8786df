import type { BatchRef } from "../../shared/runs/batch.ts";
import type { RunRef } from "../../shared/runs/run.ts";
import type { RunQueue } from "../../shared/runs/run-queue.ts";

/** The queues of runs. They keep each message until `take` returns it. */
export interface WaitingMessages {
  readonly port: RunQueue;
  /** Removes and returns all messages. */
  readonly take: () => {
    readonly resumes: readonly RunRef[];
    readonly batches: readonly BatchRef[];
    readonly finishes: readonly RunRef[];
  };
}

/**
 * Creates empty queues for the messages of runs. Messages that would start a run are dropped,
 * because the replay starts the runs.
 */
export function waitingMessages(): WaitingMessages {
  let resumes: RunRef[] = [];
  let batches: BatchRef[] = [];
  let finishes: RunRef[] = [];
  return {
    port: {
      sendDue: async () => {},
      sendPurge: async () => {},
      sendResume: async (run) => void resumes.push(run),
      sendBatches: async (sent) => void batches.push(...sent),
      sendFinish: async (run) => void finishes.push(run),
    },
    take() {
      const taken = { resumes, batches, finishes };
      [resumes, batches, finishes] = [[], [], []];
      return taken;
    },
  };
}
