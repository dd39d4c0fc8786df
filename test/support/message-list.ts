import type { BatchRef } from "../../shared/runs/batch.ts";
import type { RunRef } from "../../shared/runs/run.ts";
import type { RunQueue } from "../../shared/runs/run-queue.ts";

export type Message =
  | { readonly queue: "due"; readonly due: Parameters<RunQueue["sendDue"]>[0] }
  | { readonly queue: "resume" | "finishes"; readonly run: RunRef }
  | { readonly queue: "steps"; readonly batch: BatchRef };

/**
 * Creates a run queue that adds the messages of all queues to one list, in the order of sending.
 * Drops purge messages. `batchesSent` counts the batch messages.
 */
export function messageList() {
  const waiting: Message[] = [];
  let batchesSent = 0;
  const port: RunQueue = {
    sendDue: async (due) => void waiting.push({ queue: "due", due }),
    sendResume: async (run) => void waiting.push({ queue: "resume", run }),
    sendFinish: async (run) => void waiting.push({ queue: "finishes", run }),
    sendBatches: async (batches) => {
      for (const batch of batches) waiting.push({ queue: "steps", batch });
      batchesSent += batches.length;
    },
    sendPurge: async () => {},
  };
  return { waiting, port, batchesSent: () => batchesSent };
}
