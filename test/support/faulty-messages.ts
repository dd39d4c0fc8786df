import type { BatchRef, RunRef } from "../../shared/runs/run.ts";
import type { RunQueue } from "../../shared/runs/run-queue.ts";
import { Injected } from "./faulty-client.ts";
import type { Faults } from "./faulty-kinds.ts";
import type { Random } from "./faulty-random.ts";
import type { Task, Turns } from "./faulty-turns.ts";
import type { Message } from "./message-list.ts";

/** What the queues carry, purges included. */
export type AnyMessage = Message | { readonly queue: "purges"; readonly watchlistId: string };

interface Waiting {
  readonly message: AnyMessage;
  visibleAt: number;
}

/**
 * The queues of a run as they may behave: any message that waits may be next, and may be lost, late
 * or come again, also while it is still worked on.
 */
export interface MessagePool {
  /** A process's way to send; its calls are made through `call`. */
  port(call: <T>(label: string, effect: () => Promise<T>) => Promise<T>): RunQueue;
  put(message: AnyMessage): void;
  /** One that waits, out of sight now for as long as its work may take; undefined for none. */
  take(): Waiting | undefined;
  isWaiting(): boolean;
  /** After the work on a message: it is gone, or comes again. */
  settle(taken: Waiting, task: Task): void;
  nextVisibleAt(): number | undefined;
  size(): number;
}

/** What one request to the queue takes. */
const sendMax = 10;

export function messagePool(turns: Turns, faults: Faults, random: Random): MessagePool {
  const pool = new Set<Waiting>();
  const minutes = (low: number, high: number): number =>
    turns.now() + random.between(low * 60_000, high * 60_000);
  const put = (message: AnyMessage): void => {
    const fault = faults.draw("message_lost", "message_delayed");
    if (fault === "message_lost") return turns.note("a message is lost");
    const visibleAt = fault === "message_delayed" ? minutes(1, 12) : turns.now();
    pool.add({ message, visibleAt });
  };
  const visible = (): Waiting[] => [...pool].filter(({ visibleAt }) => visibleAt <= turns.now());
  const send = async (messages: readonly AnyMessage[]): Promise<void> => {
    const fault = faults.draw("send_refused", "send_accepted_partly");
    if (fault === "send_refused") throw new Injected("SendRefused");
    if (fault === "send_accepted_partly") {
      for (const message of random.some(messages, 0.5)) put(message);
      throw new Injected("SendAcceptedPartly");
    }
    for (const message of messages) put(message);
  };
  return {
    port: (call) => ({
      sendDue: (due) => call("send due", () => send([{ queue: "due", due }])),
      sendPurge: (watchlistId) =>
        call("send purge", () => send([{ queue: "purges", watchlistId }])),
      sendResume: (run) => call("send resume", () => send([{ queue: "resume", run: refOf(run) }])),
      sendFinish: (run) =>
        call("send finish", () => send([{ queue: "finishes", run: refOf(run) }])),
      async sendBatches(batches) {
        for (let start = 0; start < batches.length; start += sendMax) {
          const some = batches.slice(start, start + sendMax);
          await call(`send ${some.length} batches`, () =>
            send(some.map((batch) => ({ queue: "steps" as const, batch }))),
          );
        }
      },
    }),
    put,
    isWaiting: () => visible().length > 0,
    take() {
      const some = visible();
      if (some.length === 0) return undefined;
      const taken = random.pick(some);
      const isTwice = faults.draw("message_duplicated") !== undefined;
      taken.visibleAt = isTwice ? turns.now() : minutes(1, 6);
      return taken;
    },
    settle(taken, { state }) {
      if (state === "dead") return;
      if (state === "failed") taken.visibleAt = minutes(0, 1);
      else if (faults.draw("message_repeated_after_done")) taken.visibleAt = minutes(0, 8);
      else pool.delete(taken);
    },
    nextVisibleAt: () =>
      pool.size === 0 ? undefined : Math.min(...[...pool].map(({ visibleAt }) => visibleAt)),
    size: () => pool.size,
  };
}

/** What a message names of a run. */
const refOf = ({ accountId, watchlistId, runNumber }: RunRef): RunRef => ({
  accountId,
  watchlistId,
  runNumber,
});

export function messageName(message: AnyMessage): string {
  switch (message.queue) {
    case "due":
      return `due ${message.due.scheduledTime}`;
    case "purges":
      return "purge";
    case "steps":
      return batchName(message.batch);
    case "resume":
    case "finishes":
      return `${message.queue} ${message.run.runNumber}`;
    default:
      throw new Error("There is no such queue");
  }
}

const batchName = ({ runNumber, step, plan, batch }: BatchRef): string =>
  `step ${runNumber} ${step} ${plan.slice(0, 4)} ${batch}`;
