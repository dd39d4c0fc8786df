import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { SignatureError, verifyWebhook } from "../../../clients/typescript/source/index.ts";

const body = JSON.stringify({ id: "evt_1", type: "webhook.test", data: {} });
const sign = (secret: string, timestamp = Math.floor(Date.now() / 1_000)): string =>
  Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
const verify = (header: string, secret: string | string[]) => () =>
  verifyWebhook(body, { "Service-Signature": header }, secret);

describe("webhooks.verify of the TypeScript client", () => {
  it("returns the event of a delivery that was signed by another library", () => {
    expect(verify(sign("whsec_1"), "whsec_1")()).toMatchObject({ id: "evt_1" });
    const headers = new Headers({ "service-signature": sign("whsec_1") });
    expect(verifyWebhook(Buffer.from(body), headers, "whsec_1")).toMatchObject({ id: "evt_1" });
  });

  it("throws an error that explains what to pass if it gets a parsed body or no secret", () => {
    const headers = { "service-signature": sign("whsec_1") };
    const parsed = JSON.parse(body) as string;
    expect(() => verifyWebhook(parsed, headers, "whsec_1")).toThrow(/'body' must be the raw body/);
    const missing = undefined as unknown as string;
    expect(() => verifyWebhook(body, headers, missing)).toThrow(/'secret' is missing/);
    expect(() => verifyWebhook(body, headers, [])).toThrow(/'secret' is missing/);
  });

  it("accepts either of two secrets during a rotation, and a header with two signatures", () => {
    expect(verify(sign("whsec_2"), ["whsec_1", "whsec_2"])).not.toThrow();
    const [, second] = sign("whsec_2").split(",");
    expect(verify(`${sign("whsec_1")},${second}`, "whsec_2")).not.toThrow();
  });

  it("refuses a wrong secret, an old delivery, a changed body, a missing header and an empty secret", () => {
    const old = Math.floor(Date.now() / 1_000) - 301;
    expect(verify(sign("whsec_1"), "whsec_2")).toThrow(SignatureError);
    expect(verify(sign("whsec_1", old), "whsec_1")).toThrow(/300 s/);
    expect(verify(sign("whsec_1"), "")).toThrow(SignatureError);
    expect(verify("v1=00", "whsec_1")).toThrow(SignatureError);
    expect(() => verifyWebhook(body, {}, "whsec_1")).toThrow(/no header Service-Signature/);
    const headers = { "service-signature": sign("whsec_1") };
    expect(() => verifyWebhook(`${body} `, headers, "whsec_1")).toThrow(/No signature/);
  });
});
