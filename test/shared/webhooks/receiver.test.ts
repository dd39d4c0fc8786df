import { beforeEach, describe, expect, it } from "vitest";
import type { WebhookEndpoint } from "../../../shared/webhooks/endpoint.ts";
import { openReceiver, type ReceiverAccess } from "../../../shared/webhooks/receiver.ts";
import { anEndpoint } from "../../support/an-endpoint.ts";
import { fixedClock } from "../../support/clock.ts";

let clock: ReturnType<typeof fixedClock>;
let stored: WebhookEndpoint | null;
let reads: number;
let receiver: ReceiverAccess;

beforeEach(() => {
  clock = fixedClock("2026-03-01T00:00:00Z");
  stored = anEndpoint();
  reads = 0;
  receiver = openReceiver(
    { accountId: "acct_1", endpointId: "we_1" },
    {
      endpoints: {
        get: () => {
          reads += 1;
          return Promise.resolve(stored);
        },
      },
      secrets: { seal: (text) => Promise.resolve(text), open: (text) => Promise.resolve(text) },
      sender: {
        connect: () => ({
          send: () => Promise.reject(new Error("no test sends a request")),
          close: () => undefined,
        }),
      },
      clock,
    },
  );
});

describe("the webhook endpoint of a delivery session", () => {
  it("is read once for the delivery target and for all attempts within a second", async () => {
    await receiver.current();
    clock.advance(999);
    expect((await receiver.ready()).outcome).toBe("ready");
    expect(reads).toBe(1);
  });

  it("is read again for an attempt that starts at least a second after the last read", async () => {
    await receiver.current();
    clock.advance(600);
    await receiver.ready();
    clock.advance(400);
    stored = anEndpoint({ url: "https://hooks.shop-example.com/new" });
    expect(await receiver.ready()).toMatchObject({ endpoint: { url: stored.url } });
    expect(reads).toBe(2);
  });

  it("is read again for an attempt if the session's last read returned a disabled endpoint", async () => {
    stored = anEndpoint({ enabled: false });
    await receiver.current();
    stored = anEndpoint();
    expect((await receiver.ready()).outcome).toBe("ready");
    expect(reads).toBe(2);
  });

  it("is read again for an attempt if the cached row was discarded during the last read", async () => {
    const reading = receiver.current();
    receiver.forget();
    await reading;
    await receiver.ready();
    expect(reads).toBe(2);
  });

  it("is read again for an attempt after the cached row was discarded", async () => {
    await receiver.current();
    receiver.forget();
    await receiver.ready();
    expect(reads).toBe(2);
  });
});
