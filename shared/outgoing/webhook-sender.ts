import type { Clock } from "../base/clock.ts";
import type { ReceiverConnection, Sender } from "./sender.ts";
import {
  type ConnectionOptions,
  type GuardedConnection,
  guardedConnection,
} from "./guarded-connection.ts";

const answerBytesMax = 16 * 1_024;

export interface WebhookSenderOptions extends Omit<
  ConnectionOptions,
  "answerBytesMax" | "parallel"
> {
  readonly clock: Clock;
}

/**
 * Creates a sender of webhooks. Each receiver gets a separate connection, which never connects to
 * an address that the policy refuses. If a receiver fails, the sender returns the failure as a
 * result and does not throw.
 */
export function webhookSender({ clock, ...options }: WebhookSenderOptions): Sender {
  return {
    connect: (url, parallel) =>
      receiverConnection(
        new URL(url),
        clock,
        guardedConnection({ ...options, answerBytesMax, parallel }),
      ),
  };
}

/** Wraps a connection to a receiver: sends POST requests, and measures their durations. */
function receiverConnection(
  url: URL,
  clock: Clock,
  connection: GuardedConnection,
): ReceiverConnection {
  return {
    async send({ headers, body }) {
      const startedAt = clock.now().getTime();
      const exchange = await connection.exchange({ url, method: "POST", headers, body });
      const durationMs = Math.max(0, clock.now().getTime() - startedAt);
      if (exchange.outcome === "failed") return { ...exchange, durationMs };
      const { status, headers: answered, body: answer } = exchange;
      const retryAfter = answered["retry-after"] ?? null;
      return { outcome: "answered", status, retryAfter, body: answer, durationMs };
    },
    close: () => connection.close(),
  };
}
