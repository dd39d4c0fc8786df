import type { LookupFunction } from "node:net";
import type { Clock } from "../base/clock.ts";
import type { AddressPolicy } from "../outgoing/address-policy.ts";
import type { Sender } from "../webhooks/sender.ts";
import { type ExchangeTimes, guardedExchange } from "./guarded-exchange.ts";

const answerBytesMax = 16 * 1_024;

export interface WebhookSenderOptions {
  readonly policy: AddressPolicy;
  readonly clock: Clock;
  /** Name lookup, the system's unless a test gives another. */
  readonly lookup?: LookupFunction;
  /** Shorter limits, for tests. */
  readonly times?: ExchangeTimes;
}

/** Sends webhooks over node's own HTTP client. */
export function webhookSender({ clock, ...options }: WebhookSenderOptions): Sender {
  return {
    async send({ url, headers, body }) {
      const startedAt = clock.now().getTime();
      const request = { url: new URL(url), method: "POST", headers, body };
      const exchange = await guardedExchange(request, { ...options, answerBytesMax });
      const durationMs = Math.max(0, clock.now().getTime() - startedAt);
      if (exchange.outcome === "failed") return { ...exchange, durationMs };
      const retryAfter = exchange.headers["retry-after"] ?? null;
      return { ...exchange, retryAfter, durationMs };
    },
  };
}
