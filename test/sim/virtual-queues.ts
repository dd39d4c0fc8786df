import assert from "node:assert/strict";
import type { Faults, InjectedFault } from "./faults.ts";
import type { Random } from "./random.ts";
import type { TaskScheduler } from "./task-scheduler.ts";

export const queueNames = ["runs", "steps", "finishes", "deliveries"] as const;
export type QueueName = (typeof queueNames)[number];

export interface QueuedMessage {
  readonly id: string;
  readonly queue: QueueName;
  readonly body: string;
  readonly sentAt: number;
  receives: number;
  /** The virtual time from which the message can be received, in milliseconds. */
  visibleAt: number;
  /**
   * The handlers that have the message. The value is true for a handler that received it after the
   * faults stopped.
   */
  readonly holders: Map<string, boolean>;
  /** The number of faults before the message was sent. */
  readonly faultsBefore: number;
  /**
   * The number of handlers that failed although they received the message after the faults stopped.
   */
  calmFailures: number;
  /**
   * The fault that made the message visible during its handling. The fault has an effect only if
   * another handler receives the message.
   */
  seenEarly?: InjectedFault | undefined;
}

interface Entry {
  readonly MessageBody?: string;
  readonly MessageGroupId?: string;
  readonly Id?: string;
  readonly DelaySeconds?: number;
}

/**
 * The number of receives after which a message moves to the dead-letter queue, as the stacks set
 * it.
 */
const receivesMax = 5;
const latenessMs = 12 * 60_000;

/**
 * Creates a simulation of SQS. A message may be late, overtaken by others, or delivered twice, even
 * during its handling. A message that a fault drops is treated like a message in the dead-letter
 * queue.
 */
export function virtualQueues(tasks: TaskScheduler, faults: Faults, random: Random) {
  const waiting = new Set<QueuedMessage>();
  const blameless: QueuedMessage[] = [];
  /** Handlers whose result is lost, so that all their messages are delivered again. */
  const unanswered = new Set<string>();
  const bodies: string[] = [];
  const deadCancels: string[] = [];
  let sent = 0;
  const put = (queue: QueueName, body: string, delaySeconds = 0): void => {
    bodies.push(body);
    const fault = faults.draw("message_dead", "message_late", "message_twice");
    if (fault === "message_dead") {
      if (isCancel(body)) deadCancels.push(body);
      return tasks.note(`  message_dead in ${queue}: ${body}`);
    }
    const dueAt = tasks.now() + delaySeconds * 1_000;
    const times = fault === "message_twice" ? 2 : 1;
    for (let n = 0; n < times; n += 1) {
      sent += 1;
      const late = fault === "message_late" ? random.between(1_000, latenessMs) : 0;
      waiting.add({
        id: `message-${sent}`,
        queue,
        body: faults.draw("message_of_other_version") ? ofOtherVersion(body) : body,
        sentAt: tasks.now(),
        receives: 0,
        visibleAt: dueAt + late,
        holders: new Map(),
        faultsBefore: faults.fired.length,
        calmFailures: 0,
      });
    }
  };
  // No row contains a pending cancellation, so the sweeper cannot send it again. After an incident,
  // an operator replays these messages from the dead-letter queue, as the simulation does here.
  faults.onStop(() => {
    for (const body of deadCancels.splice(0)) put("runs", body);
  });
  const accept = (queue: QueueName, entry: Entry): void => {
    const { MessageBody = "", MessageGroupId, DelaySeconds } = entry;
    const { account_id } = JSON.parse(MessageBody) as { readonly account_id?: string };
    assert.ok(MessageGroupId, "a message has no message group");
    if (account_id !== undefined)
      assert.equal(MessageGroupId, account_id, "the message group is the account");
    put(queue, MessageBody, DelaySeconds);
  };
  const queueOf = (url: unknown): QueueName => {
    const name = queueNames.find((one) => String(url).endsWith(`/${one}`));
    if (name === undefined)
      throw new Error(`The simulation has no queue with the URL ${String(url)}.`);
    return name;
  };
  const visible = (queue: QueueName): QueuedMessage[] =>
    [...waiting].filter((one) => one.queue === queue && one.visibleAt <= tasks.now());
  return {
    /**
     * Adds a message directly, without the checks of an SDK request. Faults may drop, delay or
     * duplicate the message.
     */
    put,
    /**
     * Handles a request of the SDK's client.
     * @throws Error if the simulation does not support the operation
     */
    service(operation: string, input: Readonly<Record<string, unknown>>) {
      const queue = queueOf(input["QueueUrl"]);
      if (operation === "SendMessage") {
        accept(queue, input);
        return { MessageId: `sent-${sent}` };
      }
      if (operation !== "SendMessageBatch")
        throw new Error(`The simulated SQS does not support ${operation}`);
      const entries = input["Entries"] as readonly Entry[];
      for (const entry of entries) accept(queue, entry);
      return { Successful: entries.map(({ Id }) => ({ Id, MessageId: `sent-${Id}` })), Failed: [] };
    },
    /** Returns the queues that have a visible message. */
    ready: (): readonly QueueName[] => queueNames.filter((queue) => visible(queue).length > 0),
    /** Receives messages for one invocation. They stay invisible for `visibilityMs`. */
    take(
      queue: QueueName,
      { most, visibilityMs, holder }: { most: number; visibilityMs: number; holder: string },
    ): readonly QueuedMessage[] {
      const some = visible(queue);
      const taken: QueuedMessage[] = [];
      for (let left = random.between(1, most); left > 0 && some.length > 0; left -= 1) {
        const overtakes = some.length > 1 && faults.draw("message_overtakes") !== undefined;
        const place = overtakes ? random.between(1, some.length - 1) : 0;
        const [message] = some.splice(place, 1);
        if (message !== undefined) taken.push(message);
      }
      for (const message of taken) {
        message.receives += 1;
        message.holders.set(holder, faults.isStopped());
        if (message.seenEarly !== undefined && message.holders.size > 1) {
          message.seenEarly.hadEffect = true;
        }
        const early = faults.draw("message_visible_early") !== undefined;
        message.seenEarly = early ? faults.hadNoEffect("message_visible_early") : undefined;
        message.visibleAt = tasks.now() + (early ? 0 : visibilityMs);
      }
      if (faults.draw("batch_lost") !== undefined) unanswered.add(holder);
      return taken;
    },
    /** Deletes a handled message. A fault may deliver it again. */
    done(message: QueuedMessage, holder: string): void {
      message.holders.delete(holder);
      if (unanswered.has(holder)) return;
      if (faults.draw("message_after_done") !== undefined) {
        message.visibleAt = tasks.now() + random.between(0, 8 * 60_000);
      } else waiting.delete(message);
    },
    /** Makes a message visible again after its handler failed or crashed. */
    failed(message: QueuedMessage, holder: string): void {
      if (message.holders.get(holder) === true) message.calmFailures += 1;
      message.holders.delete(holder);
      if (message.receives < receivesMax || !waiting.has(message)) return;
      waiting.delete(message);
      if (isCancel(message.body)) deadCancels.push(message.body);
      const hasFaults = faults.fired.length > message.faultsBefore;
      if (!hasFaults || message.calmFailures >= receivesMax) blameless.push(message);
      tasks.note(`  ${message.queue} ${message.body} is dead`);
    },
    nextVisibleAt: (): number | undefined =>
      waiting.size === 0
        ? undefined
        : [...waiting].reduce((least, one) => Math.min(least, one.visibleAt), Infinity),
    size: () => waiting.size,
    /** The messages that reached their maximum number of receives although no fault explains it. */
    blameless,
    /** The bodies of all messages that were sent. */
    bodies,
  };
}
export type VirtualQueues = ReturnType<typeof virtualQueues>;

const isCancel = (body: string): boolean =>
  (JSON.parse(body) as { readonly type?: string }).type === "cancel";

/** Returns a message with an additional field, as a later version of the service could send it. */
const ofOtherVersion = (body: string): string =>
  JSON.stringify({ ...(JSON.parse(body) as object), from_a_later_version: { n: 1 } });
