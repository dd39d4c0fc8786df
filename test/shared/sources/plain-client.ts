import { setTimeout as delay } from "node:timers/promises";
import type { SourceClient, SourceReply } from "../../../shared/sources/http/source-client.ts";

const extraTriesMax = 2;

/**
 * A source client with neither a rate limit nor a circuit breaker. It retries a call at most twice,
 * after a 5xx status or a broken connection.
 */
export const plainClient: SourceClient = {
  async send({ method, url, headers: wanted = {}, body: given }, deadline) {
    let reply: SourceReply = { kind: "no_time" };
    for (let tries = 0; tries <= extraTriesMax; tries += 1) {
      const remainingMs = deadline.getTime() - Date.now();
      if (remainingMs <= 0) return reply;
      try {
        const body = (typeof given === "function" ? given(remainingMs) : given) ?? null;
        const headers = typeof wanted === "function" ? wanted() : wanted;
        const signal = AbortSignal.timeout(remainingMs);
        const answer = await fetch(url, { method, headers, body, signal, redirect: "manual" });
        reply = {
          kind: "answered",
          status: answer.status,
          body: await answer.bytes(),
          headers: new Map(answer.headers),
        };
      } catch {
        reply = { kind: "broken" };
      }
      if (reply.kind === "answered" && reply.status < 500) return reply;
      await delay(5);
    }
    return reply;
  },
};
