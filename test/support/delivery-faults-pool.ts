import type { RunEvents } from "../../shared/events/event.ts";
import type { OutboxQueue, Target } from "../../shared/outbox/outbox.ts";
import type { DeliveryFaults } from "./delivery-faults-kinds.ts";
import { Injected } from "./faulty-client.ts";
import type { Random } from "./faulty-random.ts";
import type { Task, Turns } from "./faulty-turns.ts";

/** A hint for the delivery, or a run that its finisher has to publish. */
export type PoolMessage =
  | { readonly kind: "hint"; readonly target: Target }
  | { readonly kind: "publish"; readonly run: RunEvents };

interface Waiting {
  readonly message: PoolMessage;
  visibleAt: number;
}

/**
 * The queues as they may behave: any message that waits may be next, and may be late or come again,
 * also while it is still worked on. Hints may be lost; whoever finishes a run repeats its message.
 */
export type HintPool = ReturnType<typeof hintPool>;

export function hintPool(turns: Turns, faults: DeliveryFaults, random: Random) {
  const pool = new Set<Waiting>();
  const minutes = (low: number, high: number): number =>
    turns.now() + random.between(low * 60_000, high * 60_000);
  const put = (message: PoolMessage, delaySeconds = 0): void => {
    const fault = faults.draw("message_lost", "message_delayed");
    if (fault === "message_lost" && message.kind === "hint") return turns.note("a hint is lost");
    const dueAt = turns.now() + delaySeconds * 1_000;
    const visibleAt = fault === "message_delayed" ? Math.max(dueAt, minutes(1, 12)) : dueAt;
    pool.add({ message, visibleAt });
  };
  const visible = (): Waiting[] => [...pool].filter(({ visibleAt }) => visibleAt <= turns.now());
  const send = (targets: readonly Target[], delaySeconds: number): void => {
    const fault = faults.draw("send_refused", "send_accepted_partly");
    if (fault === "send_refused") throw new Injected("SendRefused");
    const accepted = fault === undefined ? targets : random.some(targets, 0.5);
    for (const target of accepted) put({ kind: "hint", target }, delaySeconds);
    if (fault !== undefined) throw new Injected("SendAcceptedPartly");
  };
  return {
    /** A process's way to send; its calls are made through `call`. */
    port: (call: <T>(label: string, effect: () => Promise<T>) => Promise<T>): OutboxQueue => ({
      async send(targets, delaySeconds) {
        if (targets.length === 0) return;
        const names = targets.map(({ targetId }) => targetId).join(", ");
        await call(`hint in ${delaySeconds} s: ${names}`, async () => send(targets, delaySeconds));
      },
    }),
    put,
    isWaiting: () => visible().length > 0,
    /** One that waits, out of sight now for as long as its work may take; undefined for none. */
    take(): Waiting | undefined {
      const some = visible();
      if (some.length === 0) return undefined;
      const taken = random.pick(some);
      const isTwice = faults.draw("message_duplicated") !== undefined;
      taken.visibleAt = isTwice ? turns.now() : minutes(1, 6);
      return taken;
    },
    /** After the work on a message: it is gone, or comes again. */
    settle(taken: Waiting, { state }: Task): void {
      if (state === "dead") return;
      if (state === "failed") taken.visibleAt = minutes(0, 1);
      else if (faults.draw("message_repeated_after_done")) taken.visibleAt = minutes(0, 8);
      else pool.delete(taken);
    },
    nextVisibleAt: (): number | undefined =>
      pool.size === 0 ? undefined : Math.min(...[...pool].map(({ visibleAt }) => visibleAt)),
    size: () => pool.size,
  };
}

export const messageName = (message: PoolMessage): string =>
  message.kind === "hint" ? `drain ${message.target.targetId}` : `publish ${message.run.runId}`;
