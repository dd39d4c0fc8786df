import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { expect, vi } from "vitest";
import type { ReceivedRequest } from "./receiver.ts";

const { webhooks } = new Stripe("sk_test_none");

/**
 * Expects each of two independent verifiers to accept a delivery with at least one of the secrets.
 */
export function expectVerified(delivery: ReceivedRequest, secrets: readonly string[]): void {
  const header = String(delivery.headers["service-signature"]);
  const sentAt = Number(/^t=(\d+),/.exec(header)?.[1]);
  expect(secrets.filter((secret) => stripeAccepts(delivery, secret, sentAt))).not.toEqual([]);
  expect(secrets.filter((secret) => standardAccepts(delivery, secret, sentAt))).not.toEqual([]);
}

/**
 * Expects each of two independent verifiers to accept a delivery with its secret. Expects each to
 * reject the delivery 301 seconds later, with an additional byte, and with another secret.
 */
export function expectRefused(delivery: ReceivedRequest, secret: string): void {
  const sentAt = Number(/^t=(\d+),/.exec(String(delivery.headers["service-signature"]))?.[1]);
  const changed = { ...delivery, body: `${delivery.body} ` };
  const other = `whsec_${Buffer.alloc(33, 7).toString("base64")}`;
  for (const accepts of [stripeAccepts, standardAccepts]) {
    expect(accepts(delivery, secret, sentAt)).toBe(true);
    expect(accepts(delivery, secret, sentAt + 301), "stale").toBe(false);
    expect(accepts(changed, secret, sentAt), "changed").toBe(false);
    expect(accepts(delivery, other, sentAt), "other secret").toBe(false);
  }
}

function stripeAccepts(delivery: ReceivedRequest, secret: string, now: number): boolean {
  const header = String(delivery.headers["service-signature"]);
  try {
    return (
      webhooks.signature?.verifyHeader(
        delivery.body,
        header,
        secret,
        300,
        undefined,
        now * 1_000,
      ) ?? false
    );
  } catch {
    return false;
  }
}

/**
 * Verifies a delivery with a library. The library reads the time from `Date`, so `Date` is set to
 * `now` (seconds since 1970).
 */
function standardAccepts(delivery: ReceivedRequest, secret: string, now: number): boolean {
  vi.useFakeTimers({ toFake: ["Date"], now: now * 1_000 });
  try {
    new Webhook(secret).verify(delivery.body, delivery.headers as Record<string, string>);
    return true;
  } catch {
    return false;
  } finally {
    vi.useRealTimers();
  }
}
