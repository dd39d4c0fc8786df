import { describe, expect, it } from "vitest";
import { endPending } from "../../../shared/outbox/end-pending.ts";
import type { DeliveryTarget } from "../../../shared/outbox/outbox.ts";

const target: DeliveryTarget = { accountId: "acct_1", targetId: "we_1" };
const now = new Date("2026-11-20T10:00:00.000Z");

/**
 * Returns dependencies that record the calls of `endPending`. The calls with the name `failing`
 * fail.
 */
function recording(failing?: "wake" | "send") {
  const calls: string[] = [];
  const call = (name: "wake" | "send"): Promise<void> => {
    calls.push(name);
    return failing === name ? Promise.reject(new Error(`${name} failed`)) : Promise.resolve();
  };
  return {
    calls,
    dependencies: {
      outbox: { wake: () => call("wake") },
      queue: { send: () => call("send") },
      warn: () => void calls.push("warn"),
    },
  };
}

describe("endPending, which ends the pending work of a delivery target,", () => {
  it("makes the outbox due before it sends a wake-up message to the delivery worker", async () => {
    const { calls, dependencies } = recording();
    await endPending(target, now, dependencies);
    expect(calls).toEqual(["wake", "send"]);
  });

  it.each(["wake", "send"] as const)(
    "logs a warning and does not throw if the call '%s' fails",
    async (name) => {
      const { calls, dependencies } = recording(name);
      await endPending(target, now, dependencies);
      expect(calls.at(-1)).toBe("warn");
    },
  );
});
