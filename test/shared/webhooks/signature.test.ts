import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { describe, expect, it } from "vitest";
import { newSecret, secretHint } from "../../../shared/webhooks/secret.ts";
import { signatureHeader, standardHeaders } from "../../../shared/webhooks/signature.ts";
import { countingRandom } from "../../support/clock.ts";

const { webhooks } = new Stripe("sk_test_none");
const random = countingRandom();
const secret = newSecret(random);
const previous = newSecret(random);
const stranger = newSecret(random);
const text = JSON.stringify({ id: "evt_1", object: "event", data: { name: "caf\u00e9 \u2603" } });
const body = Buffer.from(text);
const at = new Date();
const stale = new Date(at.getTime() - 301_000);
const changed = text.replace("caf", "cag");

interface Sent {
  readonly payload?: string;
  readonly secrets?: readonly string[];
  readonly sentAt?: Date;
  readonly receiverSecret?: string;
}

/**
 * Verifies a delivery with the library that is in the function's name, as a receiver does. Throws
 * if the library refuses the delivery.
 */
type Verify = (sent: Sent) => void;

const verifyAsStripe: Verify = ({
  payload = text,
  secrets = [secret],
  sentAt = at,
  receiverSecret = secret,
}) => {
  const header = signatureHeader({ body, secrets, at: sentAt });
  webhooks.constructEvent(payload, header, receiverSecret);
};

const verifyAsStandard: Verify = ({
  payload = text,
  secrets = [secret],
  sentAt = at,
  receiverSecret = secret,
}) => {
  const headers = standardHeaders("evt_1", { body, secrets, at: sentAt });
  new Webhook(receiverSecret).verify(payload, headers);
};

describe.each([
  { library: "stripe", verify: verifyAsStripe, mismatch: /No signatures found/, late: /tolerance/ },
  {
    library: "standardwebhooks",
    verify: verifyAsStandard,
    mismatch: /No matching signature/,
    late: /too old/,
  },
])('a webhook signature, verified with the library "$library",', ({ verify, mismatch, late }) => {
  it("is valid with the current secret, and with the previous secret during an overlap", () => {
    const secrets = [secret, previous];

    expect(() => verify({})).not.toThrow();
    expect(() => verify({ secrets })).not.toThrow();
    expect(() => verify({ secrets, receiverSecret: previous })).not.toThrow();
  });

  it("is invalid with another secret, a changed byte or an old time", () => {
    expect(() => verify({ receiverSecret: stranger })).toThrow(mismatch);
    expect(() => verify({ receiverSecret: previous })).toThrow(mismatch);
    expect(() => verify({ payload: changed })).toThrow(mismatch);
    expect(() => verify({ sentAt: stale })).toThrow(late);
  });
});

describe("newSecret, which creates a webhook secret,", () => {
  it('returns a secret with the prefix "whsec_" and 33 random bytes, and the last four characters of the secret as its hint', () => {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/);
    expect(secret).not.toBe(previous);
    expect(secretHint(secret)).toBe(secret.slice(-4));
  });
});

describe("the signature header of a delivery", () => {
  it("contains the time in seconds since 1970, and then the signatures, first the one with the current secret", () => {
    const header = signatureHeader({ body, secrets: [secret, previous], at });

    const [t, first, second] = header.split(",");
    expect(t).toBe(`t=${Math.floor(at.getTime() / 1_000)}`);
    expect(signatureHeader({ body, secrets: [secret], at })).toBe(`${t},${first}`);
    expect(signatureHeader({ body, secrets: [previous], at })).toBe(`${t},${second}`);
  });
});
