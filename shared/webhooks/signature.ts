import { createHmac } from "node:crypto";
import { secretKey } from "./secret.ts";

/** The values that a signature depends on. */
export interface Signing {
  readonly body: Uint8Array;
  /** Secrets in plain text with their prefix (`whsec_...`), the current secret first. */
  readonly secrets: readonly string[];
  /** Time of the attempt. Receivers should refuse signatures that are older than about 300 s. */
  readonly at: Date;
}

/**
 * Returns the value of the `Service-Signature` header: `t=<unix seconds>,v1=<hex>`, with one `v1`
 * for each secret. `v1` is the HMAC-SHA256 of `<t>.<body>`. The HMAC key is the secret as a string,
 * including the prefix `whsec_` (specification, section "Events").
 */
export function signatureHeader({ body, secrets, at }: Signing): string {
  const t = unixSeconds(at);
  const entries = secrets.map(
    (secret) => `v1=${createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex")}`,
  );
  return [`t=${t}`, ...entries].join(",");
}

/**
 * Returns the headers of the Standard Webhooks convention, with one signature for each secret. The
 * HMAC key is the decoded bytes of the secret.
 * @param id ID of the event
 */
export function standardHeaders(id: string, { body, secrets, at }: Signing) {
  const t = unixSeconds(at);
  const entries = secrets.map((secret) => {
    const mac = createHmac("sha256", secretKey(secret)).update(`${id}.${t}.`).update(body);
    return `v1,${mac.digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(t),
    "webhook-signature": entries.join(" "),
  };
}

/** Returns the Unix time in whole seconds, rounded down. */
export const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1_000);

/** The signature headers of one request. */
export interface RequestSignature {
  /** Value of the `Service-Signature` header. */
  readonly service: string;
  /** Value of the `webhook-signature` header (Standard Webhooks). */
  readonly standard: string;
}
